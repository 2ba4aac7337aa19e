"""Test inputs of softmax."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.softmax_arithmetic import INPUT_LIMIT, quantized_scale
from cmsis_nn_ops.testdata import int8


def _softmax(shape: tuple[int, ...], dim: int = -1, scale: float = 0.05, **overrides: Any) -> Any:
    multiplier, shift, diff_min = quantized_scale(scale)
    return lambda g: {
        "input": int8(g, shape),
        "dim": dim,
        "input_zero_point": 5,
        "output_zero_point": -128,
        "input_multiplier": multiplier,
        "input_shift": shift,
        "diff_min": diff_min,
        **overrides,
    }


def _pairs() -> torch.Tensor:
    """Every difference between two values."""
    low = torch.arange(-128, 128, dtype=torch.int8)
    return torch.stack([low, torch.full_like(low, 127)], dim=1)


def _equal(*shape: int) -> torch.Tensor:
    return torch.full(shape, -7, dtype=torch.int8)


CASES = [
    Case("ten_classes", _softmax((3, 10))),
    Case("odd_length", _softmax((2, 37), scale=0.2)),
    Case("channels_of_nchw", _softmax((2, 5, 4, 3), dim=1)),
    Case("first_axis", _softmax((9, 7), dim=0)),
    Case("rank_1", _softmax((12,))),
    Case("one_entry", _softmax((4, 1))),
    Case("every_difference", _softmax((), input=_pairs())),
    Case("every_difference_steep", _softmax((), input=_pairs(), scale=1.7)),
    Case("every_difference_flat", _softmax((), input=_pairs(), scale=2.0**-23)),
    Case("smallest_scale", _softmax((2, 300), scale=2.0**-26)),
    Case("largest_scale", _softmax((2, 300), scale=40.0)),
    Case(
        "largest_shift", _softmax((2, 300), input_multiplier=2**31 - 1, input_shift=31, diff_min=0)
    ),
    Case("equal_2", _softmax((), input=_equal(1, 2))),
    Case("equal_511", _softmax((), input=_equal(1, 511))),
    Case("equal_513", _softmax((), input=_equal(1, 513))),
    Case("longest", _softmax((), input=_equal(1, 4095))),
    Case("longest_random", _softmax((1, 4095), scale=0.1)),
    Case("C1", _softmax((3, 10), dim=2), rejects="C1"),
    Case("C2", _softmax((1, 4096)), rejects="C2"),
    Case("C3", _softmax((3, 10), output_zero_point=0), rejects="C3"),
    Case("C4", _softmax((3, 10), input_shift=-1), rejects="C4"),
    Case("C5", _softmax((3, 10), diff_min=-(INPUT_LIMIT >> 22) - 1), rejects="C5"),
]

BENCHMARKS = [
    Case("1000_classes", _softmax((1, 1000))),
    Case("4_heads_32", _softmax((4, 32, 32))),
]
