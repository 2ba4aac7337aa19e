"""Test inputs of max pooling."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _pool(
    input: tuple[int, ...],
    kernel: tuple[int, int],
    stride: tuple[int, int],
    /,
    padding: tuple[int, ...] = (0, 0),
    dilation: tuple[int, int] = (1, 1),
    **overrides: Any,
) -> Any:
    """Arguments for an input [N,H,W,C]."""

    def make(g: torch.Generator) -> dict[str, Any]:
        args = {
            "input": int8(g, input),
            "kernel_size": list(kernel),
            "stride": list(stride),
            "padding": list(padding),
            "dilation": list(dilation),
            "ceil_mode": False,
            "input_zero_point": 4,
            "output_zero_point": 4,
            "activation_min": -128,
            "activation_max": 127,
        }
        return {**args, **overrides}

    return make


_SMALL = (1, 5, 5, 4)

CASES = [
    Case("2x2", _pool((1, 8, 6, 16), (2, 2), (2, 2))),
    Case("3x3_stride2_padded", _pool((1, 9, 8, 5), (3, 3), (2, 2), padding=(1, 1))),
    Case("overlapping_odd_channels", _pool((1, 6, 7, 13), (3, 2), (1, 1))),
    Case("asymmetric", _pool((1, 6, 6, 3), (3, 3), (2, 2), padding=(0, 0, 1, 1))),
    Case("ceil_mode", _pool((1, 6, 7, 4), (3, 2), (2, 2), ceil_mode=True)),
    Case("ceil_mode_padded", _pool((1, 5, 6, 4), (2, 3), (2, 2), padding=(1, 1), ceil_mode=True)),
    Case("dilated", _pool((1, 9, 10, 6), (3, 2), (1, 2), padding=(1, 1), dilation=(2, 3))),
    Case("one_tap", _pool((1, 5, 5, 3), (1, 1), (2, 2), dilation=(65535, 7))),
    Case("batch", _pool((3, 4, 5, 17), (2, 2), (2, 2))),
    Case("global", _pool((1, 7, 5, 9), (7, 5), (1, 1))),
    Case("bounds", _pool((1, 6, 6, 8), (2, 2), (2, 2), activation_min=-5, activation_max=40)),
    Case("no_pixel_in_window", _pool((1, 2, 2, 3), (2, 2), (2, 2), padding=(3, 4))),
    Case("C1", _pool(_SMALL, (2, 2), (2, 2), input=torch.zeros(_SMALL)), rejects="C1"),
    Case("C2", _pool(_SMALL, (2, 2), (2, 2), padding=(1,)), rejects="C2"),
    Case("C3", _pool(_SMALL, (6, 2), (2, 2)), rejects="C3"),
    Case("C4", _pool(_SMALL, (2, 2), (2, 2), output_zero_point=5), rejects="C4"),
    Case("C5", _pool(_SMALL, (2, 2), (2, 2), activation_max=-129), rejects="C5"),
]

BENCHMARKS = [
    Case("2x2", _pool((1, 32, 32, 16), (2, 2), (2, 2))),
    Case("3x3_stride2", _pool((1, 28, 28, 32), (3, 3), (2, 2), padding=(1, 1))),
]
