"""Test inputs of the addition."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.fixed_point import quantize_multiplier
from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _add(
    self: tuple[int, ...],
    other: tuple[int, ...] | None = None,
    /,
    scales: tuple[float, float, float] = (0.02, 0.03, 0.05),
    sign: int = 1,
    zero_points: tuple[int, int, int] = (3, -11, 5),
    **overrides: Any,
) -> Any:
    """Operands of two shapes; scales of self, other and output."""

    def make(g: torch.Generator) -> dict[str, Any]:
        widest = 2 * max(scales[:2])
        self_multiplier, self_shift = quantize_multiplier(scales[0] / widest)
        other_multiplier, other_shift = quantize_multiplier(scales[1] / widest)
        multiplier, shift = quantize_multiplier(widest / (2**20 * scales[2]))
        args = {
            "self": int8(g, self),
            "self_zero_point": zero_points[0],
            "self_multiplier": self_multiplier,
            "self_shift": self_shift,
            "other": int8(g, self if other is None else other),
            "other_zero_point": zero_points[1],
            "other_multiplier": sign * other_multiplier,
            "other_shift": other_shift,
            "output_zero_point": zero_points[2],
            "output_multiplier": multiplier,
            "output_shift": shift,
            "activation_min": -128,
            "activation_max": 127,
        }
        return {**args, **overrides}

    return make


CASES = [
    Case("same_shape", _add((1, 4, 5, 8))),
    Case("odd_count", _add((37,))),
    Case("rank0", _add(())),
    Case("rank6", _add((2, 1, 3, 2, 1, 5))),
    Case("subtract", _add((3, 17), sign=-1)),
    Case("equal_scales", _add((256,), scales=(0.5, 0.5, 1.0))),
    Case("very_different_scales", _add((64,), scales=(1e-4, 3.0, 3.1))),
    Case("small_output_scale", _add((2, 40), scales=(0.02, 0.02, 1e-7))),
    Case("relu_bounds", _add((5, 9), activation_min=5, activation_max=60)),
    Case("lowest_zero_points", _add((99,), zero_points=(-128, -128, -128))),
    Case("highest_zero_points", _add((99,), zero_points=(127, 127, 127))),
    Case("one_element", _add((2, 3, 4), (1,))),
    Case("one_element_first", _add((), (2, 3, 4))),
    Case("channels_nhwc", _add((1, 3, 4, 5), (1, 1, 1, 5))),
    Case("rows", _add((2, 3, 7), (2, 3, 1))),
    Case("lower_rank", _add((2, 3, 4), (3, 4))),
    Case("both_repeat", _add((4, 1, 3, 1), (1, 5, 1, 6))),
    Case("alternating", _add((2, 1, 3, 1, 2, 1), (1, 2, 1, 2, 1, 3))),
    Case("alternating_rank7_with_ones", _add((2, 1, 1, 3, 1, 2, 1), (1, 2, 1, 1, 2, 1, 3))),
    # Enough elements for a table of one operand, the one of the smaller scale.
    Case("table_of_other", _add((7, 41), scales=(0.5, 0.02, 0.5))),
    Case("table_of_self", _add((1, 259), scales=(0.02, 0.5, 0.5), activation_min=-100)),
    Case("table_subtract", _add((300,), scales=(0.03, 0.04, 0.05), sign=-1)),
    Case("table_subtract_smaller", _add((258,), scales=(0.04, 0.03, 0.05), sign=-1)),
    Case("table_large_factor", _add((256,), scales=(0.02, 0.02, 1e-7))),
    Case("C1", _add((4,), self=torch.zeros(4)), rejects="C1"),
    Case("C2", _add((4,), (3,)), rejects="C2"),
    Case("C2_empty", _add((0,)), rejects="C2"),
    Case("C2_rank7", _add((2, 1, 2, 1, 2, 1, 2), (1, 2, 1, 2, 1, 2, 1)), rejects="C2"),
    Case("C3", _add((4,), other_zero_point=128), rejects="C3"),
    Case("C4", _add((4,), self_multiplier=-(2**31)), rejects="C4"),
    Case("C5", _add((4,), scales=(0.02, 0.02, 1e-9)), rejects="C5"),
    Case("C5_operand", _add((4,), self_shift=4), rejects="C5"),
]

BENCHMARKS = [
    Case("map_32", _add((1, 32, 32, 16))),
    Case("channels", _add((1, 16, 16, 32), (1, 1, 1, 32))),
]
