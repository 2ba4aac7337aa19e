"""Test inputs of setting entries by index."""

from __future__ import annotations

from math import prod
from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _put(
    shape: tuple[int, ...],
    dim: int = 0,
    axes: int = 1,
    count: int = 4,
    zero_point: int | None = None,
    /,
    dtype: torch.dtype = torch.int8,
    index_dtype: torch.dtype = torch.int64,
    **overrides: Any,
) -> Any:
    """Random indices from either end; they are added if there is a ``zero_point``."""

    def make(g: torch.Generator) -> dict[str, Any]:
        sizes = shape[dim : dim + axes]
        values = (*shape[:dim], count, *shape[dim + axes :])
        args = {
            "input": int8(g, shape).to(dtype),
            "indices": [torch.randint(-n, n, (count,), generator=g).to(index_dtype) for n in sizes],
            "values": int8(g, values).to(dtype),
            "dim": dim,
            "accumulate": zero_point is not None,
            "zero_point": zero_point or 0,
        }
        return {**args, **overrides}

    return make


FRACTIONS = torch.arange(prod((5, 3))).view(5, 3) / 7

CASES = [
    Case("rows", _put((9, 5))),
    Case("rows_int32_index", _put((9, 5), index_dtype=torch.int32)),
    Case("every_axis", _put((4, 3, 5), 0, 3, 9)),
    Case("last_axis", _put((2, 3, 7), 2, 1, 3)),
    Case("middle_axes", _put((2, 4, 3, 5), 1, 2, 6)),
    Case("six_axes", _put((2, 1, 2, 3, 1, 2), 0, 6, 5)),
    Case("one_index", _put((1,), 0, 1, 1)),
    Case("add", _put((5, 3), 0, 1, 20, -7)),
    Case("add_lowest_zero_point", _put((5,), 0, 1, 9, -128)),
    Case("add_int32", _put((5, 3), 0, 2, 20, 0, dtype=torch.int32)),
    Case("add_int64", _put((5, 3), 1, 1, 9, 0, dtype=torch.int64)),
    Case("add_float32", _put((5, 3), 0, 1, 5, 0, dtype=torch.float32, values=FRACTIONS)),
    Case("bool", _put((9,), dtype=torch.bool)),
    Case("float32", _put((3, 4), dtype=torch.float32)),
    Case("C1", _put((3, 4), dtype=torch.int16), rejects="C1"),
    Case("C2", _put((3, 4), 0, 2, dim=1), rejects="C2"),
    Case("C3", _put((3, 4), index_dtype=torch.int16), rejects="C3"),
    Case("C3_shapes", _put((3, 4), 0, 2, 1, indices=[torch.ones(1), torch.ones(2)]), rejects="C3"),
    Case("C4", _put((3, 4), values=torch.zeros(4, 4)), rejects="C4"),
    Case("C4_shape", _put((3, 4), values=torch.zeros(3, 4, dtype=torch.int8)), rejects="C4"),
    Case("C5", _put((3, 4), 0, 1, 2, 128), rejects="C5"),
    Case("C5_bool", _put((3, 4), 0, 1, 2, 0, dtype=torch.bool), rejects="C5"),
    Case("C5_not_added", _put((3, 4), zero_point=3), rejects="C5"),
]
