"""Test inputs of the convolution."""

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
    dilation: tuple[int, int] = (1, 1),
    has_bias: bool = True,
    **overrides: Any,
) -> Any:
    """Arguments for an input x [N,H,W,C] and a weight w [O,KH,KW,C/groups]; overrides win."""

    def make(g: torch.Generator) -> dict[str, Any]:
        weight = int8(g, w).clamp(min=-127)  # as quantizers make them; -128 is for the extremes
        multiplier, shift = requantization(g, w[0], taps=weight[0].numel())
        args = {
            "input": int8(g, x),
            "weight": weight,
            "bias": torch.randint(-5000, 5000, w[:1], generator=g, dtype=torch.int32)
            if has_bias
            else None,
            "stride": list(stride),
            "padding": list(padding),
            "dilation": list(dilation),
            "input_offset": 3,
            "output_offset": -7,
            "requantize_multipliers": multiplier,
            "requantize_shifts": shift,
            "activation_min": -128,
            "activation_max": 127,
            "scratch": torch.empty(1, dtype=torch.int8),
        }
        return {**args, **overrides}

    return make


def _extremes(w: tuple[int, ...]) -> dict[str, Any]:
    """Weights and inputs at the ends of their range, alternating by output channel."""
    weight = torch.full(w, -128, dtype=torch.int8)
    weight[::2] = 127
    return {"weight": weight, "input_offset": 128}


def _shifts(*shifts: int) -> dict[str, Any]:
    return {"requantize_shifts": torch.tensor(shifts, dtype=torch.int32)}


def _largest(x: tuple[int, ...], w: tuple[int, ...]) -> dict[str, Any]:
    """Sums near 2^23, the largest of two channels whose weights share a halfword."""
    weight = torch.full(w, 127, dtype=torch.int8)
    weight[::3] = -127
    input = torch.full(x, -128, dtype=torch.int8)
    return {"input": input, "weight": weight, "bias": None, **_shifts(*[-15] * w[0])}


def _weights(value: int, shape: tuple[int, ...]) -> torch.Tensor:
    return torch.full(shape, value, dtype=torch.int8)


def _constant(value: int) -> torch.Tensor:
    return torch.full((4,), value, dtype=torch.int32)


CASES = [
    Case("pointwise", _conv((1, 5, 6, 8), (16, 1, 1, 8))),
    Case("pointwise_odd", _conv((1, 3, 7, 13), (5, 1, 1, 13))),
    Case("3x3_same", _conv((1, 8, 8, 4), (8, 3, 3, 4), padding=(1, 1))),
    Case(
        "3x3_stride2_asymmetric",
        _conv((1, 9, 8, 3), (7, 3, 3, 3), stride=(2, 2), padding=(0, 0, 1, 1)),
    ),
    Case("first_layer", _conv((1, 12, 12, 3), (16, 3, 3, 3), padding=(1, 1))),
    Case(
        "one_channel_10x4",
        _conv((1, 49, 10, 1), (8, 10, 4, 1), stride=(2, 2), padding=(4, 1, 5, 1)),
    ),
    Case("dilated", _conv((1, 11, 10, 6), (4, 3, 3, 6), padding=(2, 1), dilation=(2, 3))),
    Case("groups", _conv((1, 6, 6, 12), (8, 3, 3, 3), padding=(1, 1))),
    Case("batch_no_bias", _conv((3, 4, 5, 17), (9, 2, 3, 17), has_bias=False)),
    Case("relu_bounds", _conv((1, 6, 6, 8), (8, 3, 3, 8), activation_min=-7, activation_max=60)),
    Case(
        "extreme_offsets",
        _conv((1, 6, 5, 5), (6, 3, 3, 5), padding=(1, 1), input_offset=128, output_offset=-128),
    ),
    Case("kernel_as_large_as_input", _conv((1, 5, 4, 20), (10, 5, 4, 20))),
    # Rows of one and two vectors keep their weights in registers; counts of rows and vectors.
    Case("pointwise_1_to_1", _conv((1, 5, 4, 1), (1, 1, 1, 1))),
    Case("pointwise_two_pixels", _conv((1, 1, 2, 3), (4, 1, 1, 3))),
    Case("pointwise_one_pixel", _conv((1, 1, 1, 40), (7, 1, 1, 40), stride=(2, 2))),
    Case("pointwise_16", _conv((1, 2, 5, 16), (6, 1, 1, 16))),
    Case("pointwise_32", _conv((2, 2, 4, 32), (3, 1, 1, 32))),
    Case("pointwise_80_two_passes", _conv((1, 10, 10, 80), (5, 1, 1, 80))),
    Case("pointwise_stride2", _conv((2, 5, 7, 16), (4, 1, 1, 16), stride=(2, 2))),
    Case("pointwise_padded", _conv((1, 5, 5, 6), (4, 1, 1, 6), stride=(2, 2), padding=(1, 1))),
    Case("row_of_taps", _conv((1, 4, 9, 8), (6, 1, 4, 8), stride=(1, 2))),
    Case("column_of_taps", _conv((1, 9, 4, 8), (6, 3, 1, 8), padding=(1, 0))),
    Case("5x5_more_padding_than_input", _conv((1, 2, 2, 3), (4, 5, 5, 3), padding=(4, 4))),
    Case("three_vectors", _conv((1, 7, 6, 5), (4, 3, 3, 5), padding=(1, 1))),
    # Pairs of channels, steps of four features by four, windows by three and one by one.
    Case("one_step", _conv((1, 2, 4, 3), (2, 1, 1, 3))),
    Case("two_steps", _conv((1, 2, 4, 8), (3, 1, 1, 8))),
    Case("three_steps", _conv((1, 1, 5, 11), (4, 1, 1, 11))),
    Case("five_steps", _conv((1, 3, 3, 20), (5, 1, 1, 20))),
    Case("two_channels", _conv((1, 4, 5, 8), (2, 3, 3, 8), padding=(1, 1))),
    Case("six_channels", _conv((1, 7, 5, 12), (6, 3, 2, 12), stride=(2, 1), padding=(2, 1, 0, 1))),
    Case("short_rows", _conv((1, 9, 7, 2), (4, 3, 2, 2), padding=(1, 1))),
    Case("dilated_height", _conv((1, 9, 5, 8), (4, 3, 3, 8), padding=(2, 1), dilation=(2, 1))),
    Case(
        "bounds_of_an_odd_size",
        _conv((1, 3, 3, 4), (3, 1, 1, 4), activation_min=-100, activation_max=-3),
    ),
    Case("constant_channels", _conv((1, 3, 3, 4), (4, 1, 1, 4), bias=_constant(2**30 - 10**6))),
    Case(
        "largest_sums",
        _conv((1, 3, 4, 56), (4, 3, 3, 56), **_largest((1, 3, 4, 56), (4, 3, 3, 56))),
    ),
    # Weights that cannot share halfwords; one output.
    Case("lowest_weights", _conv((1, 3, 3, 9), (5, 3, 2, 9), weight=_weights(-128, (5, 3, 2, 9)))),
    Case(
        "too_large_sums",
        _conv((2, 3, 1, 530), (3, 1, 1, 530), weight=_weights(127, (3, 1, 1, 530))),
    ),
    Case("one_output_3x3", _conv((1, 4, 5, 6), (1, 3, 3, 6), padding=(1, 1))),
    Case("extreme_weights", _conv((1, 4, 4, 32), (4, 3, 3, 32), **_extremes((4, 3, 3, 32)))),
    Case("large_factors", _conv((1, 3, 5, 4), (5, 1, 1, 4), **_shifts(0, -1, 3, -9, 1))),
    Case("smallest_factors", _conv((1, 3, 3, 4), (4, 1, 1, 4), **_shifts(-31, -30, -1, -2))),
    # Columns along the longer side; several sets of rows where they are dilated; groups.
    Case("wide", _conv((2, 3, 20, 5), (6, 3, 3, 5), padding=(1, 1))),
    Case("one_row", _conv((1, 1, 33, 16), (5, 1, 5, 16), stride=(1, 2), padding=(0, 2))),
    Case("dilated_strides", _conv((1, 19, 9, 4), (5, 3, 3, 4), (4, 1), (3, 2), (6, 2))),
    Case("dilated_beyond_outputs", _conv((1, 13, 3, 8), (4, 3, 1, 8), dilation=(5, 1))),
    Case("groups_odd", _conv((2, 10, 4, 15), (9, 3, 2, 5), padding=(1, 0))),
    Case("groups_dilated_wide", _conv((1, 4, 17, 6), (4, 2, 3, 3), (1, 2), (2, 1), (3, 2))),
    Case("C1", _conv((1, 5, 5, 4), (4, 3, 3, 4), input=torch.zeros(1, 5, 5, 4)), rejects="C1"),
    Case("C2", _conv((1, 5, 5, 4), (4, 3, 3, 3)), rejects="C2"),
    Case(
        "C3",
        _conv((1, 5, 5, 4), (4, 3, 3, 4), bias=torch.zeros(3, dtype=torch.int32)),
        rejects="C3",
    ),
    Case("C4", _conv((1, 5, 5, 4), (4, 3, 3, 4), stride=(0, 1)), rejects="C4"),
    Case("C5", _conv((1, 2, 5, 4), (4, 3, 3, 4)), rejects="C5"),
    Case("C6", _conv((1, 5, 5, 4), (4, 3, 3, 4), activation_min=5, activation_max=4), rejects="C6"),
    Case(
        "C7",
        _conv(
            (1, 5, 5, 4), (4, 3, 3, 4), requantize_shifts=torch.full((4,), 31, dtype=torch.int32)
        ),
        rejects="C7",
    ),
]

BENCHMARKS = [
    Case("1x1_64_to_64", _conv((1, 25, 5, 64), (64, 1, 1, 64))),
    Case("1x1_16_to_96", _conv((1, 28, 28, 16), (96, 1, 1, 16))),
    Case("1x1_96_to_24", _conv((1, 14, 14, 96), (24, 1, 1, 96))),
    Case("1x1_stride2_16_to_32", _conv((1, 32, 32, 16), (32, 1, 1, 16), stride=(2, 2))),
    Case("3x3_16_to_16", _conv((1, 32, 32, 16), (16, 3, 3, 16), padding=(1, 1))),
    Case("3x3_64_to_64", _conv((1, 8, 8, 64), (64, 3, 3, 64), padding=(1, 1))),
    Case("3x3_first_rgb", _conv((1, 32, 32, 3), (16, 3, 3, 3), padding=(1, 1))),
    Case("3x3_first_rgb_stride2", _conv((1, 96, 96, 3), (8, 3, 3, 3), (2, 2), (0, 0, 1, 1))),
    Case("10x4_first_mfcc", _conv((1, 49, 10, 1), (64, 10, 4, 1), (2, 2), (4, 1, 5, 1))),
    Case(
        "3x3_lowest_weights",
        _conv(
            (1, 32, 32, 16),
            (16, 3, 3, 16),
            padding=(1, 1),
            weight=_weights(-128, (16, 3, 3, 16)),
        ),
    ),
    Case("3x3_groups4", _conv((1, 16, 16, 32), (32, 3, 3, 8), padding=(1, 1))),
    Case("3x3_dilated", _conv((1, 16, 16, 16), (16, 3, 3, 16), padding=(2, 2), dilation=(2, 2))),
]
