"""Test inputs of slicing."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _slice(
    shape: tuple[int, ...],
    dim: int,
    start: int,
    end: int,
    step: int = 1,
    dtype: torch.dtype = torch.int8,
) -> Any:
    return lambda g: {
        "input": int8(g, shape).to(dtype),
        "dim": dim,
        "start": start,
        "end": end,
        "step": step,
    }


CASES = [
    Case("first_axis", _slice((7, 3, 5), 0, 2, 6)),
    Case("middle_axis", _slice((2, 9, 5), 1, 3, 9)),
    Case("last_axis", _slice((2, 3, 8), 2, 0, 5)),
    Case("negative_dim", _slice((2, 3, 8), -2, 1, 2)),
    Case("step_2", _slice((2, 3, 9), 2, 1, 9, 2)),
    Case("step_3_rows", _slice((2, 8, 5), 1, 0, 8, 3)),
    Case("step_beyond_end", _slice((2, 8), 1, 3, 8, 99)),
    Case("whole", _slice((2, 3), 0, 0, 2)),
    Case("rank_1", _slice((10,), 0, 4, 5)),
    Case("float32", _slice((3, 4, 5), 1, 1, 4, 2, torch.float32)),
    Case("int64", _slice((3, 4), 1, 1, 4, dtype=torch.int64)),
    Case("C1", _slice((3, 4), 2, 0, 1), rejects="C1"),
    Case("C2", _slice((3, 4), 1, 2, 5), rejects="C2"),
    Case("C3", _slice((3, 4), 1, 0, 4, 0), rejects="C3"),
]

BENCHMARKS = [
    Case("half_the_channels", _slice((1, 28, 28, 32), 3, 0, 16)),
]
