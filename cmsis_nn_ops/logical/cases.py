"""Test inputs of functions of truth values."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case

_PAIRS = {
    "self": torch.tensor([False, False, True, True]),
    "other": torch.tensor([False, True, False, True]),
}


def _logical(
    self: tuple[int, ...], other: tuple[int, ...], truth_table: int = 8, /, **overrides: Any
) -> Any:
    return lambda g: {
        "self": torch.rand(self, generator=g) < 0.5,
        "other": torch.rand(other, generator=g) < 0.5,
        "truth_table": truth_table,
        **overrides,
    }


CASES = [
    *(Case(f"table_{table}", _logical((), (), table, **_PAIRS)) for table in range(16)),
    Case("same_shape", _logical((3, 5, 7), (3, 5, 7), 14)),
    Case("one_element", _logical((2, 9), (), 6)),
    Case("rows", _logical((2, 3, 7), (2, 3, 1), 11)),
    Case("both_repeat", _logical((4, 1, 3, 1), (1, 5, 1, 6), 2)),
    Case("C1", _logical((4,), (), other=torch.zeros(4, dtype=torch.int8)), rejects="C1"),
    Case("C2", _logical((4,), (3,)), rejects="C2"),
    Case("C3", _logical((4,), (4,), 16), rejects="C3"),
]

BENCHMARKS = [
    Case("1024", _logical((1, 1024), (1, 1024), 8)),
]
