"""Test inputs of the division."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8

EVERY = torch.arange(-128, 128, dtype=torch.int8)


def _div(
    self: tuple[int, ...],
    other: tuple[int, ...],
    output_scale: float = 20.0,
    zero_points: tuple[int, int, int] = (3, -11, 5),
    /,
    **overrides: Any,
) -> Any:
    """``zero_points`` of self, other and output."""
    return lambda g: {
        "self": int8(g, self),
        "self_zero_point": zero_points[0],
        "other": int8(g, other),
        "other_zero_point": zero_points[1],
        "output_zero_point": zero_points[2],
        "output_scale": output_scale,
        **overrides,
    }


CASES = [
    Case("same_shape", _div((2, 3, 17), (2, 3, 17))),
    Case("every_pair", _div((), (), self=EVERY.view(-1, 1), other=EVERY.view(1, -1))),
    Case("ties", _div((), (), 0.5, (0, 0, 0), self=EVERY.view(-1, 1), other=EVERY[120:140])),
    Case("one_element", _div((4, 5), ())),
    Case("one_element_first", _div((), (4, 5))),
    Case("rows", _div((2, 3, 7), (2, 3, 1), 127.5)),
    Case("both_repeat", _div((4, 1, 3, 1), (1, 5, 1, 6), 0.3)),
    Case("large_scale", _div((9, 9), (9, 9), 1e30)),
    Case("small_scale", _div((9, 9), (9, 9), 1e-30)),
    Case("zero_points", _div((50,), (50,), 12.0, (-128, 127, -128))),
    Case("C1", _div((4,), (), other=torch.zeros(4)), rejects="C1"),
    Case("C2", _div((4,), (3,)), rejects="C2"),
    Case("C2_empty", _div((0,), (0,)), rejects="C2"),
    Case("C3", _div((4,), (4,), 1.0, (0, 128, 0)), rejects="C3"),
    Case("C4", _div((4,), (4,), 1e-31), rejects="C4"),
]

BENCHMARKS = [
    Case("1024", _div((1, 1024), (1, 1024))),
]
