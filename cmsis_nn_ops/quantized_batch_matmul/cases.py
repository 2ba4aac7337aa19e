"""Test inputs of the matrix product."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.fixed_point import quantize_multiplier
from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _matmul(lhs: tuple[int, ...], rhs: tuple[int, ...], /, **overrides: Any) -> Any:
    """lhs [B,M,K], rhs_transposed [B,N,K]; the products fill the int8 range."""
    factor = 60.0 / (74.0 * 74.0 * max(lhs[-1], 1) ** 0.5)
    multiplier, shift = quantize_multiplier(factor)
    return lambda g: {
        "lhs": int8(g, lhs),
        "lhs_zero_point": 3,
        "rhs_transposed": int8(g, rhs),
        "rhs_zero_point": -5,
        "output_zero_point": 7,
        "output_multiplier": multiplier,
        "output_shift": shift,
        "scratch": torch.empty(1, dtype=torch.int8),
        **overrides,
    }


def _full(value: int, *shape: int) -> torch.Tensor:
    return torch.full(shape, value, dtype=torch.int8)


_LARGEST: dict[str, Any] = {
    "lhs": _full(127, 1, 2, 33025),
    "rhs_transposed": _full(127, 1, 3, 33025),
    "lhs_zero_point": 128,
    "rhs_zero_point": 128,
    "output_shift": -24,
}
_SMALL = (2, 3, 4)

CASES = [
    Case("square", _matmul((2, 8, 8), (2, 8, 8))),
    Case("odd", _matmul((3, 5, 7), (3, 3, 7))),
    Case("one_vector", _matmul((1, 6, 16), (1, 9, 16))),
    Case("long", _matmul((1, 2, 333), (1, 3, 333))),
    Case("inner_of_one", _matmul((2, 5, 1), (2, 6, 1))),
    Case("row_by_column", _matmul((4, 1, 19), (4, 1, 19))),
    Case("one_lhs", _matmul((1, 4, 20), (3, 5, 20))),
    Case("one_rhs", _matmul((3, 4, 20), (1, 5, 20))),
    Case("extreme_offsets", _matmul((1, 4, 9), (1, 4, 9), lhs_zero_point=128, rhs_zero_point=-127)),
    Case("left_shift", _matmul((1, 3, 2), (1, 3, 2), output_shift=8)),
    Case("largest_sums", _matmul((1, 2, 33025), (1, 3, 33025), **_LARGEST)),
    Case("C1", _matmul(_SMALL, _SMALL, lhs=torch.zeros(2, 3, 4)), rejects="C1"),
    Case("C2", _matmul(_SMALL, (2, 3, 5)), rejects="C2"),
    Case("C2_batches", _matmul(_SMALL, (3, 3, 4)), rejects="C2"),
    Case("C3", _matmul(_SMALL, _SMALL, lhs_zero_point=-128), rejects="C3"),
    Case("C4", _matmul(_SMALL, _SMALL, output_multiplier=-1), rejects="C4"),
    Case("C5", _matmul(_SMALL, _SMALL, output_shift=14), rejects="C5"),
    Case("C5_inner", _matmul((1, 1, 33026), (1, 1, 33026)), rejects="C5"),
]

BENCHMARKS = [
    Case("4_heads_32", _matmul((4, 32, 16), (4, 32, 16))),
]
