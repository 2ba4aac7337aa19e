"""Test inputs of picking entries."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _gather(
    shape: tuple[int, ...],
    dim: int,
    index: tuple[int, ...],
    /,
    dtype: torch.dtype = torch.int8,
    index_dtype: torch.dtype = torch.int32,
    **overrides: Any,
) -> Any:
    """A random index of shape ``index`` into axis ``dim``, counted from either end."""

    def make(g: torch.Generator) -> dict[str, Any]:
        length = shape[dim] if -len(shape) <= dim < len(shape) else 1
        picked = torch.randint(-length, length, index, generator=g)
        args = {"input": int8(g, shape).to(dtype), "dim": dim, "index": picked.to(index_dtype)}
        return {**args, **overrides}

    return make


CASES = [
    Case("rows", _gather((9, 5), 0, (4, 1))),
    Case("rows_int64", _gather((9, 5), 0, (4, 1), index_dtype=torch.int64)),
    Case("middle_axis", _gather((2, 7, 3), 1, (1, 10, 1))),
    Case("last_axis", _gather((2, 3, 7), 2, (1, 1, 9))),
    Case("negative_dim", _gather((2, 3, 7), -3, (5, 1, 1))),
    Case("rank_1", _gather((7,), 0, (3,), dtype=torch.float32)),
    Case("each_entry", _gather((2, 7, 3), 1, (2, 4, 3), index_dtype=torch.int64)),
    Case("each_outer", _gather((2, 7, 3), 1, (2, 4, 1))),
    Case("each_inner", _gather((2, 7, 3, 2), 1, (1, 4, 3, 2))),
    Case("each_entry_of_int64", _gather((2, 3), 1, (2, 5), dtype=torch.int64)),
    Case("bool", _gather((4, 4), 1, (1, 4), dtype=torch.bool)),
    Case("axis_of_one", _gather((3, 1, 4), 1, (1, 6, 1))),
    Case("C1", _gather((3, 4), 2, (1, 2)), rejects="C1"),
    Case("C2", _gather((3, 4), 1, (1, 2), index_dtype=torch.int16), rejects="C2"),
    Case("C2_rank", _gather((3, 4), 1, (2,)), rejects="C2"),
    Case("C3", _gather((2, 3, 4), 2, (1, 3, 2)), rejects="C3"),
    Case("C3_behind", _gather((4, 2, 3), 0, (2, 2, 1)), rejects="C3"),
    Case("C4", _gather((3, 4), 1, (1, 0)), rejects="C4"),
]

BENCHMARKS = [
    Case("rows_of_64", _gather((256, 64), 0, (32, 1))),
]
