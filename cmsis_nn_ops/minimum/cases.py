"""Test inputs of the smaller of two numbers."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8

UNUSUAL = torch.tensor([0.0, -0.0, torch.nan, torch.inf, -torch.inf, 1e-40, 1.5])
LARGE = torch.tensor([-(2**63), -1, 0, 2**63 - 1])


def _case(
    self: tuple[int, ...], other: tuple[int, ...], dtype: torch.dtype = torch.int8, /, **data: Any
) -> Any:
    return lambda g: {
        "self": int8(g, self).to(dtype),
        "other": int8(g, other).to(dtype),
        **data,
    }


CASES = [
    Case("same_shape", _case((3, 5, 7), (3, 5, 7))),
    Case("one_element", _case((2, 9), ())),
    Case("rows", _case((2, 3, 7), (2, 3, 1))),
    Case("both_repeat", _case((4, 1, 3, 1), (1, 5, 1, 6))),
    Case("uint8", _case((9, 2), (9, 2), torch.uint8)),
    Case("bool", _case((), (), self=torch.tensor([[True], [False]]), other=torch.ones(1, 1) > 0)),
    Case("int32", _case((4, 1), (5,), torch.int32)),
    Case("int64", _case((), (), self=LARGE.view(-1, 1), other=LARGE)),
    Case("float32", _case((4, 6), (4, 6), torch.float32)),
    Case("float32_unusual", _case((), (), self=UNUSUAL.view(-1, 1), other=UNUSUAL)),
    Case("C1", _case((4,), (), other=torch.zeros(4)), rejects="C1"),
    Case("C1_float64", _case((4,), (4,), torch.float64), rejects="C1"),
    Case("C2", _case((4,), (3,)), rejects="C2"),
]

BENCHMARKS = [
    Case("map_32", _case((1, 32, 32, 16), (1, 32, 32, 16))),
    Case("channels", _case((1, 16, 16, 32), (1, 1, 1, 32))),
]
