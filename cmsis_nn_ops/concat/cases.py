"""Test inputs of concatenation."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _concat(*shapes: tuple[int, ...], dim: int, dtype: torch.dtype = torch.int8) -> Any:
    return lambda g: {"tensors": [int8(g, shape).to(dtype) for shape in shapes], "dim": dim}


CASES = [
    Case("channels", _concat((1, 4, 5, 3), (1, 4, 5, 8), (1, 4, 5, 1), dim=3)),
    Case("middle", _concat((2, 3, 4), (2, 5, 4), dim=1)),
    Case("first", _concat((2, 3, 4), (7, 3, 4), dim=0)),
    Case("negative_dim", _concat((2, 3, 4), (2, 3, 9), dim=-1)),
    Case("rank_1", _concat((5,), (1,), (4,), dim=0)),
    Case("one_tensor", _concat((2, 3), dim=1)),
    Case("most_tensors", _concat(*[(2, n) for n in range(1, 16)], dim=1)),
    Case("float32", _concat((2, 3, 4), (2, 1, 4), dim=1, dtype=torch.float32)),
    Case("int64", _concat((3, 2), (3, 3), dim=1, dtype=torch.int64)),
    Case("C1", _concat(*[(2, 3)] * 16, dim=0), rejects="C1"),
    Case("C2", _concat((2, 3), (2, 3), dim=2), rejects="C2"),
    Case("C3", _concat((2, 3), (2, 4), dim=0), rejects="C3"),
]

BENCHMARKS = [
    Case("branches", _concat((1, 14, 14, 64), (1, 14, 14, 96), (1, 14, 14, 32), dim=3)),
]
