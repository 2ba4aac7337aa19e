"""Test inputs of the depthwise convolution."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8, requantization


def _depthwise(
    input: tuple[int, ...],
    kernel: tuple[int, int],
    /,
    stride: tuple[int, int] = (1, 1),
    padding: tuple[int, ...] = (0, 0),
    multiplier: int = 1,
    dilation: tuple[int, int] = (1, 1),
    **overrides: Any,
) -> Any:
    """Arguments for an input [N,H,W,C] and a kernel (KH,KW), ``multiplier`` outputs a channel."""

    def make(g: torch.Generator) -> dict[str, Any]:
        outputs = input[3] * multiplier
        multipliers, shifts = requantization(g, outputs, taps=kernel[0] * kernel[1])
        args = {
            "input": int8(g, input),
            "weight": int8(g, (1, *kernel, outputs)),
            "bias": torch.randint(-5000, 5000, (outputs,), generator=g, dtype=torch.int32),
            "stride": list(stride),
            "padding": list(padding),
            "dilation": list(dilation),
            "depth_multiplier": multiplier,
            "input_offset": 3,
            "output_offset": -7,
            "requantize_multipliers": multipliers,
            "requantize_shifts": shifts,
            "activation_min": -128,
            "activation_max": 127,
            "scratch": torch.empty(1, dtype=torch.int8),
        }
        return {**args, **overrides}

    return make


def _extremes(weight: tuple[int, ...]) -> dict[str, Any]:
    """Weights and zero points at the ends of their range, alternating by channel."""
    values = torch.full(weight, -128, dtype=torch.int8)
    values[..., ::2] = 127
    return {"weight": values, "input_offset": 128}


def _shifts(*shifts: int) -> dict[str, Any]:
    return {"requantize_shifts": torch.tensor(shifts, dtype=torch.int32)}


_SMALL = (1, 5, 5, 4)

CASES = [
    Case("3x3_same", _depthwise((1, 8, 8, 16), (3, 3), padding=(1, 1))),
    Case(
        "3x3_stride2_asymmetric",
        _depthwise((1, 8, 9, 8), (3, 3), stride=(2, 2), padding=(0, 0, 1, 1)),
    ),
    Case("3x3_valid_odd_channels", _depthwise((1, 6, 7, 13), (3, 3))),
    Case("5x5_same", _depthwise((1, 9, 6, 11), (5, 5), padding=(2, 2))),
    Case("kernel_of_rows", _depthwise((1, 12, 3, 24), (4, 1), stride=(2, 1), padding=(1, 0, 2, 0))),
    Case("one_tap", _depthwise((1, 4, 3, 5), (1, 1), dilation=(65535, 9))),
    Case("one_channel", _depthwise((1, 6, 6, 1), (3, 3), padding=(1, 1))),
    Case("multiplier_2", _depthwise((1, 6, 5, 6), (3, 3), multiplier=2, padding=(1, 1))),
    Case("multiplier_8_of_one", _depthwise((1, 7, 7, 1), (3, 3), multiplier=8)),
    Case("dilated", _depthwise((1, 11, 10, 6), (3, 3), padding=(2, 1), dilation=(2, 3))),
    Case("batch_no_bias", _depthwise((3, 4, 5, 17), (2, 3), bias=None)),
    Case("relu_bounds", _depthwise((1, 6, 6, 8), (3, 3), activation_min=-7, activation_max=60)),
    Case(
        "extreme_offsets",
        _depthwise((1, 6, 5, 5), (3, 3), padding=(1, 1), input_offset=128, output_offset=-128),
    ),
    Case("whole_input", _depthwise((1, 7, 5, 9), (7, 5))),
    Case("padding_beyond_kernel", _depthwise((1, 3, 3, 4), (2, 2), stride=(2, 2), padding=(4, 3))),
    # Strips: along either side, of one or two rows, outputs that are not a multiple of four.
    Case("tall_odd", _depthwise((1, 25, 5, 20), (3, 3), padding=(1, 1))),
    Case("wide_odd", _depthwise((2, 3, 15, 17), (3, 3), padding=(1, 1))),
    Case("two_by_two", _depthwise((1, 2, 2, 33), (3, 3), padding=(1, 1))),
    Case("one_row", _depthwise((1, 1, 9, 5), (1, 3), padding=(0, 1))),
    Case("2x2_valid", _depthwise((1, 5, 4, 16), (2, 2), multiplier=3)),
    Case("stride2_outputs_3x3", _depthwise((1, 6, 6, 16), (3, 3), (2, 2), (0, 0, 1, 1))),
    Case("stride2_outputs_9x4", _depthwise((1, 19, 8, 24), (4, 4), (2, 2), (1, 1))),
    Case("stride1_along_2_across", _depthwise((1, 9, 12, 6), (3, 3), stride=(2, 1))),
    Case("padding_far_beyond_input", _depthwise((1, 1, 1, 3), (1, 1), (10, 3), (35, 4, 0, 0))),
    # Kernels of one row: sixteen taps of a line in a vector.
    Case("line", _depthwise((1, 30, 1, 20), (15, 1), padding=(3, 0, 7, 0))),
    Case("line_to_one", _depthwise((1, 1, 10, 33), (1, 10), multiplier=2)),
    Case(
        "line_stride2_dilated", _depthwise((2, 21, 3, 7), (5, 1), (2, 1), (2, 1), dilation=(2, 1))
    ),
    Case("line_of_two_vectors", _depthwise((1, 40, 2, 5), (20, 1), (3, 1))),
    Case("dilated_one_vector", _depthwise((1, 9, 12, 8), (3, 3), padding=(2, 3), dilation=(2, 3))),
    Case("large_factors_line", _depthwise((1, 12, 1, 2), (7, 1), **_shifts(0, -7))),
    Case("extreme_weights", _depthwise((1, 6, 6, 6), (3, 3), **_extremes((1, 3, 3, 6)))),
    Case("large_factors", _depthwise((1, 5, 7, 5), (3, 3), **_shifts(0, -1, 3, -9, 1))),
    Case("large_factors_stride2", _depthwise((1, 9, 7, 2), (3, 3), (2, 2), **_shifts(1, -8))),
    Case(
        "large_factors_5x5", _depthwise((1, 6, 8, 2), (5, 5), multiplier=2, **_shifts(0, 0, -7, 2))
    ),
    Case("smallest_factors", _depthwise((1, 4, 4, 4), (3, 3), **_shifts(-31, -30, -1, -2))),
    # Lines of outputs by four, tiles of lines, windows in pieces of two and three taps, borders.
    Case("3x3_outputs_1", _depthwise((1, 3, 3, 4), (3, 3))),
    Case("3x3_outputs_5x2", _depthwise((1, 4, 7, 9), (3, 3))),
    Case("3x3_outputs_2x7", _depthwise((2, 9, 4, 8), (3, 3))),
    Case("3x3_tiles", _depthwise((1, 21, 41, 5), (3, 3), padding=(1, 1))),
    Case("3x3_tiles_in_place", _depthwise((1, 14, 30, 8), (3, 3), padding=(1, 1))),
    Case("3x3_stride2_tiles", _depthwise((1, 37, 35, 6), (3, 3), (2, 2), (1, 1))),
    Case("3x3_stride2_even_border", _depthwise((1, 9, 11, 4), (3, 3), (2, 2), (2, 2, 1, 0))),
    Case("4x5", _depthwise((1, 7, 9, 4), (4, 5), padding=(1, 2))),
    Case("5x4_stride2", _depthwise((1, 11, 9, 7), (5, 4), (2, 2), (3, 1))),
    Case("7x7_stride2", _depthwise((1, 13, 12, 4), (7, 7), (2, 2), (3, 3))),
    Case("1x2", _depthwise((1, 3, 8, 4), (1, 2))),
    Case("stride3", _depthwise((1, 10, 10, 4), (3, 3), (3, 3))),
    Case("stride3_across", _depthwise((1, 10, 7, 4), (3, 2), (3, 1), (1, 1))),
    Case("dilated_across", _depthwise((1, 9, 6, 8), (3, 3), padding=(2, 1), dilation=(2, 1))),
    Case("C1", _depthwise(_SMALL, (3, 3), input=torch.zeros(_SMALL)), rejects="C1"),
    Case("C2", _depthwise(_SMALL, (3, 3), depth_multiplier=2), rejects="C2"),
    Case(
        "C3", _depthwise(_SMALL, (3, 3), bias=None, requantize_shifts=torch.zeros(4)), rejects="C3"
    ),
    Case("C4", _depthwise(_SMALL, (3, 3), padding=(-1, 0)), rejects="C4"),
    Case("C5", _depthwise((1, 2, 5, 4), (3, 3)), rejects="C5"),
    Case("C6", _depthwise(_SMALL, (3, 3), input_offset=129), rejects="C6"),
    Case(
        "C7",
        _depthwise(_SMALL, (3, 3), requantize_multipliers=torch.full((4,), -1, dtype=torch.int32)),
        rejects="C7",
    ),
    Case(
        "C8",
        _depthwise(_SMALL, (3, 3), bias=torch.full((4,), 2**31 - 1, dtype=torch.int32)),
        rejects="C8",
    ),
]

BENCHMARKS = [
    Case("3x3_25x5x64", _depthwise((1, 25, 5, 64), (3, 3), padding=(1, 1))),
    Case("3x3_48x48x8", _depthwise((1, 48, 48, 8), (3, 3), padding=(1, 1))),
    Case("3x3_3x3x256", _depthwise((1, 3, 3, 256), (3, 3), padding=(1, 1))),
    Case("3x3_stride2", _depthwise((1, 48, 48, 16), (3, 3), stride=(2, 2), padding=(0, 0, 1, 1))),
    Case("5x5", _depthwise((1, 14, 14, 32), (5, 5), padding=(2, 2))),
    Case("5x5_stride2", _depthwise((1, 28, 28, 16), (5, 5), stride=(2, 2), padding=(2, 2))),
    Case("9x1_time", _depthwise((1, 40, 1, 64), (9, 1), padding=(4, 0))),
    Case("3x3_dilated", _depthwise((1, 14, 14, 32), (3, 3), padding=(2, 2), dilation=(2, 2))),
    Case("3x3_times2", _depthwise((1, 14, 14, 16), (3, 3), padding=(1, 1), multiplier=2)),
]
