"""Test inputs of the comparison."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8

UNUSUAL = torch.tensor([0.0, -0.0, torch.nan, torch.inf, -torch.inf, 1e-40, 1.5])
LARGE = torch.tensor([-(2**63), -1, 0, 2**63 - 1])
ONE = 2**30


def _compare(
    self: tuple[int, ...],
    other: tuple[int, ...],
    relation: int = 1,
    zero_points: tuple[int, int] = (0, 0),
    multipliers: tuple[int, int] = (ONE, ONE),
    /,
    dtype: torch.dtype = torch.int8,
    **overrides: Any,
) -> Any:
    return lambda g: {
        "self": (int8(g, self) // 16).to(dtype),
        "self_zero_point": zero_points[0],
        "self_multiplier": multipliers[0],
        "other": (int8(g, other) // 16).to(dtype),
        "other_zero_point": zero_points[1],
        "other_multiplier": multipliers[1],
        "relation": relation,
        **overrides,
    }


def _plain(
    self: tuple[int, ...],
    other: tuple[int, ...],
    relation: int,
    dtype: torch.dtype,
    /,
    **data: Any,
) -> Any:
    return _compare(self, other, relation, (0, 0), (1, 1), dtype=dtype, **data)


CASES = [
    *(Case(f"relation_{r}", _compare((4, 25), (4, 25), r)) for r in (1, 2, 3, 4, 6, 13)),
    Case("other_scale", _compare((9, 16), (9, 16), 2, (3, -4), (ONE, ONE // 2))),
    Case("other_larger_scale", _compare((9, 16), (16,), 1, (-128, 127), (12345678, ONE))),
    Case("one_element", _compare((2, 30), (), 4, (1, 0))),
    Case("number", _compare((64,), (), 6, (5, 0), (2**20, -(2**21)), other=torch.tensor(1).char())),
    Case("rows", _compare((2, 3, 7), (2, 3, 1))),
    Case("both_repeat", _compare((4, 1, 3, 1), (1, 5, 1, 6), 3)),
    Case("uint8", _plain((2, 9), (9,), 2, torch.uint8)),
    Case("int32", _plain((2, 9), (2, 9), 13, torch.int32)),
    Case("int64", _plain((), (), 3, torch.int64, self=LARGE.view(-1, 1), other=LARGE)),
    Case("float32", _plain((2, 9), (2, 1), 4, torch.float32)),
    *(
        Case(
            f"float32_unusual_{r}",
            _plain((), (), r, torch.float32, self=UNUSUAL.view(-1, 1), other=UNUSUAL),
        )
        for r in (1, 2, 6, 13)
    ),
    Case("C1", _compare((4,), (), other=torch.zeros(4)), rejects="C1"),
    Case("C2", _compare((4,), (3,)), rejects="C2"),
    Case("C3", _compare((4,), (4,), 1, (0, 0), (ONE + 1, 1)), rejects="C3"),
    Case("C3_int32", _compare((4,), (4,), dtype=torch.int32), rejects="C3"),
    Case("C4", _compare((4,), (4,), 16), rejects="C4"),
]

BENCHMARKS = [
    Case("1024", _compare((1, 1024), (1, 1024))),
    Case("int32_1024", _plain((1, 1024), (1, 1024), 1, torch.int32)),
]
