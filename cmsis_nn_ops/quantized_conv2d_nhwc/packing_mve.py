"""The Helium kernel of the convolution: what it accepts, its parameters, its constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from cmsis_nn_ops import matmul_mve as matmul
from cmsis_nn_ops.op_def import Args, Kernel
from cmsis_nn_ops.spatial import UINT16_MAX, effective_dilation, pads
from cortorch.target import Isa


@dataclass(frozen=True)
class Geometry:
    """Sizes as the kernel sees them: a 1x1 convolution without gaps is one column of pixels."""

    batches: int
    input_hw: tuple[int, int]
    output_hw: tuple[int, int]
    stride_height: int
    in_place: bool
    """Each window is contiguous in the input: it needs no copy."""
    copied_rows: int
    """Last rows of the input, which cannot be read in whole vectors (one column only)."""
    row_bytes: int
    """One row of a window."""
    strip_rows: int
    """Input rows, padding included, of one column of windows."""


def geometry(a: Args) -> Geometry:
    batches, height, width, channels = a.input.shape
    kernel_height, kernel_width = a.weight.shape[1:3]
    row_bytes = kernel_width * channels
    in_place = kernel_height == 1 and not any(pads(a.padding))
    input_hw, output_hw = (height, width), tuple(a.out.shape[1:3])
    pixels = batches * height * width
    if in_place and kernel_width == 1 and input_hw == output_hw and pixels <= UINT16_MAX:
        column = (pixels, 1)
        copied_rows = matmul.copied_rows(pixels, channels)
        return Geometry(1, column, column, 1, True, copied_rows, row_bytes, pixels)
    strip_rows = (output_hw[0] - 1) * a.stride[0] + kernel_height
    in_place &= row_bytes % matmul.CHUNK_BYTES == 0
    return Geometry(batches, input_hw, output_hw, a.stride[0], in_place, 0, row_bytes, strip_rows)


def accepts(a: Args) -> bool:
    plain = a.input.shape[3] == a.weight.shape[3]
    plain &= effective_dilation(a.weight.shape[1:3], a.dilation) == (1, 1)
    return plain and matmul.accepts_step(geometry(a).output_hw[1] * a.out.shape[3])


def params(a: Args) -> Mapping[str, Any]:
    g = geometry(a)
    top, left, _, _ = pads(a.padding)
    return {
        "batches": g.batches,
        "input_height": g.input_hw[0],
        "input_width": g.input_hw[1],
        "input_channels": a.input.shape[3],
        "output_height": g.output_hw[0],
        "output_width": g.output_hw[1],
        "output_channels": a.out.shape[3],
        "kernel_height": a.weight.shape[1],
        "kernel_width": a.weight.shape[2],
        "stride_height": g.stride_height,
        "stride_width": a.stride[1],
        "pad_top": top,
        "pad_left": left,
        "rows_per_pass": matmul.rows_per_pass(g.output_hw[0]),
        "in_place": int(g.in_place),
        "copied_rows": g.copied_rows,
        "input_offset": a.input_offset,
        "output_offset": a.output_offset,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
    }


def pack(a: Args) -> Mapping[str, torch.Tensor]:
    weight = a.weight.flatten(1)
    return {
        "packed_weight": matmul.pack_weights(weight),
        "channels": matmul.pack_channels(
            weight, a.bias, a.input_offset, a.requantize_multipliers, a.requantize_shifts
        ),
    }


def scratch_bytes(a: Args) -> int:
    g = geometry(a)
    copied_rows = g.copied_rows if g.in_place else g.strip_rows
    return matmul.sums_bytes(g.output_hw[0]) + matmul.copied_bytes(copied_rows, g.row_bytes)


MVE = Kernel(
    "ct_quantized_conv2d_nhwc_mve",
    operands=("input", "packed_weight", "channels", "out", "scratch"),
    isa=Isa.MVE,
    accepts=accepts,
    params=params,
    pack=pack,
    scratch_bytes=scratch_bytes,
)
