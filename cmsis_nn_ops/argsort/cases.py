"""Test inputs of sorting."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8

UNUSUAL = torch.tensor([0.0, -0.0, torch.nan, torch.inf, -1e-40, 1e-40, -torch.nan, -torch.inf])


def _argsort(
    shape: tuple[int, ...],
    dim: int,
    /,
    descending: bool = False,
    places: tuple[int, int] = (0, 1),
    dtype: torch.dtype = torch.int8,
    **overrides: Any,
) -> Any:
    """``places``: the first one, and how many."""
    return lambda g: {
        "input": (int8(g, shape) // 4).to(dtype),
        "dim": dim,
        "descending": descending,
        "first": places[0],
        "count": places[1],
        **overrides,
    }


CASES = [
    Case("smallest", _argsort((3, 50), 1)),
    Case("largest", _argsort((50, 3), 0, True)),
    Case("largest_of_each_channel", _argsort((2, 40, 5), -2, True)),
    Case("one_entry", _argsort((1,), 0, True)),
    Case("equal_entries", _argsort((), 0, input=torch.zeros(2, 5, dtype=torch.int8))),
    Case("median", _argsort((2, 21, 3), 1, False, (10, 1))),
    Case("top", _argsort((3, 30), 1, True, (0, 7))),
    Case("sort", _argsort((4, 100), 1, False, (0, 100))),
    Case("sort_descending", _argsort((35, 4), 0, True, (0, 35))),
    Case("sort_bool", _argsort((9, 2), 0, True, (0, 9), torch.bool)),
    Case("sort_uint8", _argsort((9,), 0, False, (0, 9), torch.uint8)),
    Case("sort_int32", _argsort((2, 17), 1, False, (3, 9), torch.int32)),
    Case("sort_int64", _argsort((17,), 0, True, (0, 17), input=torch.arange(17) * 2**58 % 7919)),
    Case("sort_float32", _argsort((2, 17), 1, True, (0, 17), torch.float32)),
    Case("sort_unusual", _argsort((), 0, False, (0, 8), input=UNUSUAL)),
    Case("sort_unusual_descending", _argsort((), 0, True, (0, 8), input=UNUSUAL)),
    Case("largest_is_nan", _argsort((), 0, True, input=UNUSUAL)),
    Case("C1", _argsort((3, 4), 2), rejects="C1"),
    Case("C2", _argsort((3, 4), 1, dtype=torch.float16), rejects="C2"),
    Case("C2_empty", _argsort((0, 4), 1), rejects="C2"),
    Case("C3", _argsort((3, 4), 1, False, (2, 3)), rejects="C3"),
    Case("C3_none", _argsort((3, 4), 1, False, (2, 0)), rejects="C3"),
]

BENCHMARKS = [
    Case("largest_of_1000", _argsort((1, 1000), 1, True)),
    Case("top5_of_1000", _argsort((1, 1000), 1, True, (0, 5))),
]
