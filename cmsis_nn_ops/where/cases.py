"""Test inputs of choosing entries."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _where(
    condition: tuple[int, ...],
    self: tuple[int, ...],
    other: tuple[int, ...],
    dtype: torch.dtype = torch.int8,
    /,
    **overrides: Any,
) -> Any:
    return lambda g: {
        "condition": torch.rand(condition, generator=g) < 0.5,
        "self": int8(g, self).to(dtype),
        "other": int8(g, other).to(dtype),
        **overrides,
    }


CASES = [
    Case("same_shape", _where((3, 5, 7), (3, 5, 7), (3, 5, 7))),
    Case("fill", _where((2, 9), (), (2, 9))),
    Case("rows", _where((3, 1), (2, 3, 7), (7,))),
    Case("all_repeat", _where((4, 1, 1), (1, 5, 1), (1, 1, 6))),
    Case("one_condition", _where((), (4, 5), (4, 5))),
    Case("alternating", _where((2, 1, 3, 1, 2, 1), (1, 2, 1, 2, 1, 3), (2, 1, 1, 1, 2, 1))),
    Case("bool", _where((9,), (9,), (9,), torch.bool)),
    Case("int32", _where((4, 3), (4, 3), (3,), torch.int32)),
    Case("int64", _where((4, 3), (4, 1), (4, 3), torch.int64)),
    Case("float32", _where((5,), (), (), torch.float32, self=torch.tensor(torch.nan))),
    Case("C1", _where((4,), (4,), (4,), condition=torch.zeros(4, dtype=torch.int8)), rejects="C1"),
    Case("C2", _where((4,), (4,), (4,), torch.int16), rejects="C2"),
    Case("C2_mixed", _where((4,), (4,), (4,), other=torch.zeros(4)), rejects="C2"),
    Case("C3", _where((4,), (3,), ()), rejects="C3"),
    Case("C3_empty", _where((0,), (1,), (1,)), rejects="C3"),
]

BENCHMARKS = [
    Case("1024", _where((1, 1024), (1, 1024), (1, 1024))),
]
