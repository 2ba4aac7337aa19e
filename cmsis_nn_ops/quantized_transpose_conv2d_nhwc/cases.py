"""Test inputs of the transposed convolution."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8, requantization


def _conv(
    x: tuple[int, ...],
    w: tuple[int, ...],
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, ...] = (0, 0),
    output_padding: tuple[int, int] = (0, 0),
    dilation: tuple[int, int] = (1, 1),
    has_bias: bool = True,
    **overrides: Any,
) -> Any:
    """Arguments for an input x [N,H,W,C] and a weight w [O,KH,KW,C/groups]; overrides win."""

    def make(g: torch.Generator) -> dict[str, Any]:
        bias = torch.randint(-5000, 5000, w[:1], generator=g, dtype=torch.int32)
        multiplier, shift = requantization(g, w[0], taps=w[1] * w[2] * w[3])
        args = {
            "input": int8(g, x),
            "weight": int8(g, w),
            "bias": bias if has_bias else None,
            "stride": list(stride),
            "padding": list(padding),
            "output_padding": list(output_padding),
            "dilation": list(dilation),
            "input_offset": 3,
            "output_offset": -7,
            "requantize_multipliers": multiplier,
            "requantize_shifts": shift,
            "activation_min": -128,
            "activation_max": 127,
            "scratch": torch.empty(1, dtype=torch.int8),
            "output_scratch": torch.empty(1, dtype=torch.int8),
        }
        return {**args, **overrides}

    return make


def _small(**overrides: Any) -> Any:
    return _conv((1, 3, 4, 4), (4, 3, 3, 4), **overrides)


_SHIFTS = torch.full((4,), 31, dtype=torch.int32)

CASES = [
    Case("3x3", _conv((1, 5, 6, 8), (16, 3, 3, 8))),
    Case("2x2_stride2", _conv((1, 4, 5, 7), (5, 2, 2, 7), stride=(2, 2))),
    Case("3x3_stride2_padded", _conv((2, 5, 4, 4), (6, 3, 3, 4), (2, 2), (1, 1), (1, 1))),
    Case("4x4_stride2", _conv((1, 6, 6, 9), (3, 4, 4, 9), (2, 2), (1, 1))),
    Case("stride_beyond_kernel", _conv((1, 3, 4, 3), (4, 2, 1, 3), stride=(3, 4))),
    Case("pointwise_stride2", _conv((1, 3, 3, 3), (4, 1, 1, 3), stride=(2, 2))),
    Case("dilated", _conv((1, 4, 5, 3), (4, 3, 2, 3), dilation=(2, 3))),
    Case("dilation_shares_a_factor", _conv((1, 4, 4, 3), (4, 3, 4, 3), (4, 6), dilation=(2, 4))),
    Case("dilation_is_stride", _conv((1, 4, 5, 3), (4, 3, 3, 3), (2, 3), dilation=(2, 3))),
    Case("dilation_coprime", _conv((1, 5, 4, 2), (3, 4, 3, 2), (3, 2), (2, 1), dilation=(2, 5))),
    Case("dilation_of_one_tap", _conv((1, 3, 3, 2), (3, 1, 1, 2), (2, 2), dilation=(60000, 9))),
    Case("groups", _conv((1, 4, 5, 12), (8, 3, 3, 3), (2, 1), (1, 0))),
    Case("depthwise", _conv((1, 4, 5, 6), (6, 3, 3, 1), (2, 2), (1, 1), (1, 1))),
    Case("cropped_beyond_kernel", _conv((1, 6, 6, 3), (4, 3, 3, 3), (2, 2), padding=(4, 3))),
    Case("output_padding_without_taps", _conv((1, 2, 2, 3), (4, 1, 1, 3), (3, 3), (0, 0), (2, 1))),
    Case("one_dimension", _conv((2, 9, 1, 4), (5, 3, 1, 4), (2, 1), (1, 0), (1, 0))),
    Case("no_bias", _conv((1, 4, 5, 17), (9, 2, 3, 17), has_bias=False)),
    Case("relu_bounds", _small(activation_min=-7, activation_max=60)),
    Case("extreme_offsets", _small(padding=(1, 1), input_offset=128, output_offset=-128)),
    Case("C1", _small(input=torch.zeros(1, 3, 4, 4)), rejects="C1"),
    Case("C2", _conv((1, 3, 4, 4), (4, 3, 3, 3)), rejects="C2"),
    Case("C3", _small(bias=torch.zeros(3, dtype=torch.int32)), rejects="C3"),
    Case("C4", _small(stride=(0, 1)), rejects="C4"),
    Case("C4_four_pads", _small(padding=(1, 1, 0, 0)), rejects="C4"),
    Case("C5", _small(padding=(3, 0)), rejects="C5"),
    Case("C6", _small(activation_min=5, activation_max=4), rejects="C6"),
    Case("C7", _small(requantize_shifts=_SHIFTS), rejects="C7"),
    Case("C8", _small(bias=torch.full((4,), 2**31 - 1, dtype=torch.int32)), rejects="C8"),
]

BENCHMARKS = [
    Case("2x2_stride2", _conv((1, 8, 8, 32), (16, 2, 2, 32), stride=(2, 2))),
    Case("3x3_stride2", _conv((1, 8, 8, 32), (16, 3, 3, 32), (2, 2), (1, 1), (1, 1))),
]
