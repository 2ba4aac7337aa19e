"""Test inputs of sum pooling."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.fixed_point import quantize_multiplier
from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _pool(
    input: tuple[int, ...],
    kernel: tuple[int, int],
    stride: tuple[int, int],
    /,
    padding: tuple[int, ...] = (0, 0),
    divisor: float | None = None,
    **overrides: Any,
) -> Any:
    """Arguments for an input [N,H,W,C]; the divisor is the window's size by default."""

    def make(g: torch.Generator) -> dict[str, Any]:
        multiplier, shift = quantize_multiplier(1 / (divisor or kernel[0] * kernel[1]))
        args = {
            "input": int8(g, input),
            "kernel_size": list(kernel),
            "stride": list(stride),
            "padding": list(padding),
            "ceil_mode": False,
            "input_offset": -4,
            "output_offset": 4,
            "requantize_multiplier": multiplier,
            "requantize_shift": shift,
            "activation_min": -128,
            "activation_max": 127,
        }
        return {**args, **overrides}

    return make


_SMALL = (1, 5, 5, 4)

CASES = [
    Case("3x3_same", _pool((1, 8, 6, 16), (3, 3), (1, 1), padding=(1, 1))),
    Case("3x3_stride2_odd_channels", _pool((1, 9, 8, 5), (3, 3), (2, 2), padding=(1, 1))),
    Case("asymmetric", _pool((1, 6, 6, 3), (3, 3), (2, 2), padding=(0, 0, 1, 1))),
    Case("ceil_mode", _pool((1, 6, 7, 4), (3, 2), (2, 2), padding=(1, 0), ceil_mode=True)),
    Case("ceil_mode_cut", _pool((1, 8, 6, 5), (3, 3), (2, 2), padding=(1, 1), ceil_mode=True)),
    Case(
        "ceil_mode_cut_asymmetric",
        _pool((1, 5, 7, 3), (2, 3), (2, 3), padding=(1, 0, 0, 1), ceil_mode=True),
    ),
    Case("batch", _pool((3, 4, 5, 17), (2, 2), (2, 2))),
    Case("global", _pool((1, 7, 5, 9), (7, 5), (1, 1))),
    Case("smaller_divisor", _pool((1, 6, 6, 8), (2, 2), (2, 2), divisor=1.5)),
    Case("saturating", _pool((1, 6, 6, 8), (2, 2), (2, 2), divisor=1 / 256)),
    Case("bounds", _pool((1, 6, 6, 8), (2, 2), (2, 2), activation_min=-5, activation_max=40)),
    Case(
        "extreme_offsets", _pool((1, 6, 6, 8), (3, 3), (1, 1), input_offset=128, output_offset=-128)
    ),
    Case("C1", _pool(_SMALL, (2, 2), (2, 2), input=torch.zeros(_SMALL)), rejects="C1"),
    Case("C2", _pool(_SMALL, (2, 2), (2, -1)), rejects="C2"),
    Case("C3", _pool(_SMALL, (2, 2), (2, 2), padding=(0, 2)), rejects="C3"),
    Case("C4", _pool(_SMALL, (2, 2), (2, 2), input_offset=-128), rejects="C4"),
    Case("C5", _pool(_SMALL, (2, 2), (2, 2), requantize_multiplier=-1), rejects="C5"),
    Case("C6_cut", _pool((1, 100, 61, 1), (60, 60), (50, 50), ceil_mode=True), rejects="C6"),
    Case("C6", _pool(_SMALL, (2, 2), (2, 2), requantize_shift=22), rejects="C6"),
]

BENCHMARKS = [
    Case("global_7", _pool((1, 7, 7, 128), (7, 7), (1, 1))),
]
