"""The convolution's kernel for the DSP extension: what it accepts, parameters, constants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from cmsis_nn_ops import matmul_dsp
from cmsis_nn_ops.op_def import Args, Kernel
from cmsis_nn_ops.spatial import UINT16_MAX, effective_dilation, pads
from cortorch.target import Isa

LEAST_ROW_BYTES = 16
OVERLAP_BYTES = 12
"""Three for each copy, which is filled up to whole words, and three more for copying by words."""


def _channels(a: Args) -> matmul_dsp.Channels:
    return matmul_dsp.channels(
        a.weight.flatten(1),
        a.bias,
        a.input_offset,
        a.requantize_multipliers,
        a.requantize_shifts,
        a.output_offset,
    )


def _is_ungrouped(a: Args) -> bool:
    return bool(a.input.shape[3] == a.weight.shape[3])


def _is_pointwise(a: Args) -> bool:
    """Whether windows are pixels that follow each other."""
    one_to_one = (
        a.weight.shape[1] == a.weight.shape[2] == 1 and a.input.shape[:3] == a.out.shape[:3]
    )
    return bool(one_to_one) and not any(pads(a.padding))


def params(a: Args) -> Mapping[str, Any]:
    top, left, _, _ = pads(a.padding)
    dilation = effective_dilation(a.weight.shape[1:3], a.dilation)
    batches, input_hw, output_hw = a.input.shape[0], a.input.shape[1:3], a.out.shape[1:3]
    pixels = a.out.shape[:3].numel()
    if _is_pointwise(a) and pixels <= UINT16_MAX:
        batches, input_hw, output_hw = 1, (1, pixels), (1, pixels)
    return {
        "batches": batches,
        "input_height": input_hw[0],
        "input_width": input_hw[1],
        "input_channels": a.input.shape[3],
        "output_height": output_hw[0],
        "output_width": output_hw[1],
        "output_channels": a.out.shape[3],
        "kernel_height": a.weight.shape[1],
        "kernel_width": a.weight.shape[2],
        "stride_height": a.stride[0],
        "stride_width": a.stride[1],
        "dilation_height": dilation[0],
        "dilation_width": dilation[1],
        "pad_top": top,
        "pad_left": left,
        "is_pointwise": int(_is_pointwise(a)),
        "parts_are_rows": int(_parts_are_rows(a)),
        "input_offset": a.input_offset,
        "output_offset": a.output_offset,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
    }


def _parts_are_rows(a: Args) -> bool:
    """Whether rows of windows are widened one by one. Short ones are not worth it."""
    _, height, width, channels = a.weight.shape
    row_bytes = width * channels
    return bool(height == 1 or (row_bytes % matmul_dsp.STEP == 0 and row_bytes >= LEAST_ROW_BYTES))


def scratch_bytes(a: Args) -> int:
    """Widened windows, and copies of what cannot be widened in place."""
    _, height, width, channels = a.weight.shape
    row_bytes = width * channels
    wide = matmul_dsp.ROWS * matmul_dsp.wide_bytes(height * row_bytes)
    if not _parts_are_rows(a):
        return wide + matmul_dsp.ROWS * height * row_bytes + OVERLAP_BYTES
    return wide if _is_pointwise(a) else wide + matmul_dsp.ROWS * row_bytes


def _pack_plain(a: Args) -> Mapping[str, torch.Tensor]:
    return matmul_dsp.pack_plain(a.weight.flatten(1), a.bias, a.input_offset)


DSP = (
    Kernel(
        "ct_quantized_conv2d_nhwc_dsp",
        operands=("input", "filters", "out", "scratch"),
        isa=Isa.DSP,
        accepts=lambda a: _is_ungrouped(a) and matmul_dsp.accepts(_channels(a)),
        params=params,
        pack=lambda a: {"filters": matmul_dsp.pack(_channels(a))},
        scratch_bytes=scratch_bytes,
    ),
    Kernel(
        "ct_quantized_conv2d_nhwc_plain_dsp",
        operands=("input", *matmul_dsp.PLAIN_OPERANDS, "out", "scratch"),
        isa=Isa.DSP,
        accepts=_is_ungrouped,
        params=params,
        pack=_pack_plain,
        scratch_bytes=scratch_bytes,
    ),
)
