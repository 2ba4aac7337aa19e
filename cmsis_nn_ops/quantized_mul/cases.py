"""Test inputs of the multiplication."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.fixed_point import quantize_multiplier
from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _mul(
    self: tuple[int, ...],
    other: tuple[int, ...] | None = None,
    /,
    factor: float = 0.011,
    zero_points: tuple[int, int, int] = (3, -11, 5),
    **overrides: Any,
) -> Any:
    """Operands of two shapes; ``factor`` is scale * scale / output scale."""

    def make(g: torch.Generator) -> dict[str, Any]:
        multiplier, shift = quantize_multiplier(factor)
        args = {
            "self": int8(g, self),
            "self_zero_point": zero_points[0],
            "other": int8(g, self if other is None else other),
            "other_zero_point": zero_points[1],
            "output_zero_point": zero_points[2],
            "output_multiplier": multiplier,
            "output_shift": shift,
        }
        return {**args, **overrides}

    return make


CASES = [
    Case("same_shape", _mul((1, 4, 5, 8))),
    Case("odd_count", _mul((37,))),
    Case("rank0", _mul(())),
    Case("rank6", _mul((2, 1, 3, 2, 1, 5))),
    Case("large_factor", _mul((256,), factor=256.0)),
    Case("largest_shift", _mul((256,), output_shift=15)),
    Case("tiny_factor", _mul((64,), factor=1e-9)),
    Case("zero_factor", _mul((64,), factor=0.0)),
    Case("lowest_zero_points", _mul((99,), zero_points=(-128, -128, -128))),
    Case("highest_zero_points", _mul((99,), zero_points=(127, 127, 127))),
    Case("one_element", _mul((2, 3, 4), (1,))),
    Case("one_element_first", _mul((), (2, 3, 4))),
    Case("channels_nhwc", _mul((1, 3, 4, 5), (1, 1, 1, 5))),
    Case("gate_per_channel", _mul((2, 3, 4, 5), (2, 1, 1, 5))),
    Case("gate_per_pixel", _mul((2, 3, 4, 5), (2, 3, 4, 1))),
    Case("lower_rank", _mul((2, 3, 4), (3, 4))),
    Case("both_repeat", _mul((4, 1, 3, 1), (1, 5, 1, 6))),
    Case("alternating", _mul((2, 1, 3, 1, 2, 1), (1, 2, 1, 2, 1, 3))),
    Case("C1", _mul((4,), self=torch.zeros(4)), rejects="C1"),
    Case("C2", _mul((4,), (3,)), rejects="C2"),
    Case("C3", _mul((4,), output_zero_point=-129), rejects="C3"),
    Case("C4", _mul((4,), output_shift=16), rejects="C4"),
]

BENCHMARKS = [
    Case("map_32", _mul((1, 32, 32, 16))),
    Case("channels", _mul((1, 16, 16, 32), (1, 1, 1, 32))),
]
