"""The Helium kernel of the convolution: what it accepts, its parameters, its constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import gcd
from typing import Any

import torch

from cmsis_nn_ops import matmul_mve as matmul
from cmsis_nn_ops.op_def import Args, Kernel
from cmsis_nn_ops.spatial import UINT16_MAX, effective_dilation, pads
from cortorch.target import Isa

SHORT_COLUMN = 8
"""Outputs of a column below which the longer side is worth copies that are not contiguous."""

Sides = tuple[int, int]
"""(along, across) the columns that the kernels compute: height and width, or exchanged."""


@dataclass(frozen=True)
class Geometry:
    """Sizes as the kernel sees them: a 1x1 convolution without gaps is one column of pixels."""

    batches: int
    groups: int
    group_channels: int
    input: Sides
    output: Sides
    kernel: Sides
    stride: Sides
    dilation: Sides
    padding: Sides
    is_transposed: bool
    in_place: bool
    """Each window is contiguous in the input: it needs no copy."""

    @property
    def is_plain(self) -> bool:
        """What the smaller of the two kernels can do."""
        return self.groups == 1 and self.dilation == (1, 1) and not self.is_transposed

    @property
    def row_bytes(self) -> int:
        """One row of a window."""
        return self.kernel[1] * self.group_channels

    @property
    def phases(self) -> int:
        """Outputs of a column until windows use the same rows again."""
        return self.dilation[0] // gcd(self.stride[0], self.dilation[0])

    @property
    def window_rows(self) -> int:
        """Rows from one window to the next, of those that they use."""
        return self.stride[0] // gcd(self.stride[0], self.dilation[0])

    @property
    def windows(self) -> int:
        """Most windows of a column that use the same rows."""
        return -(-self.output[0] // self.phases)

    @property
    def copied_rows(self) -> int:
        """Last rows of the input, which cannot be read in whole vectors (one column only)."""
        return matmul.copied_rows(self.output[0], self.row_bytes) if self.in_place else 0

    @property
    def scratch_rows(self) -> int:
        strip = (self.windows - 1) * self.window_rows + self.kernel[0]
        return self.copied_rows if self.in_place else strip


def geometry(a: Args) -> Geometry:
    batches, height, width, channels = a.input.shape
    kernel, output = tuple(a.weight.shape[1:3]), tuple(a.out.shape[1:3])
    group_channels = a.weight.shape[3]
    no_padding = not any(pads(a.padding))
    pixels = batches * height * width
    is_dense = kernel == (1, 1) and no_padding and output == (height, width)
    if is_dense and group_channels == channels and pixels <= UINT16_MAX:
        column, one = (pixels, 1), (1, 1)
        return Geometry(1, 1, channels, column, column, one, one, one, (0, 0), False, True)
    is_transposed = output[0] < min(output[1], SHORT_COLUMN)

    def sides(values: Any) -> Sides:
        first, second = values
        return (second, first) if is_transposed else (first, second)

    g = Geometry(
        batches,
        channels // group_channels,
        group_channels,
        sides((height, width)),
        sides(output),
        sides(kernel),
        sides(a.stride),
        sides(effective_dilation(kernel, a.dilation)),
        sides(pads(a.padding)[:2]),
        is_transposed,
        in_place=False,
    )
    in_place = g.is_plain and g.kernel[0] == 1 and no_padding
    return replace(g, in_place=in_place and g.row_bytes % matmul.CHUNK_BYTES == 0)


def accepts(a: Args) -> bool:
    g = geometry(a)
    row = a.out.shape[3] if g.is_transposed else g.output[1] * a.out.shape[3]
    return matmul.accepts_step(g.phases * row)


def accepts_plain(a: Args) -> bool:
    return geometry(a).is_plain and accepts(a)


def params(a: Args) -> Mapping[str, Any]:
    g = geometry(a)
    return {
        "batches": g.batches,
        "input_height": g.input[0],
        "input_width": g.input[1],
        "input_channels": a.input.shape[3],
        "output_height": g.output[0],
        "output_width": g.output[1],
        "output_channels": a.out.shape[3],
        "kernel_height": g.kernel[0],
        "kernel_width": g.kernel[1],
        "groups": g.groups,
        "stride_height": g.stride[0],
        "stride_width": g.stride[1],
        "dilation_height": g.dilation[0],
        "dilation_width": g.dilation[1],
        "pad_top": g.padding[0],
        "pad_left": g.padding[1],
        "rows_per_pass": matmul.rows_per_pass(g.windows),
        "phases": g.phases,
        "window_rows": g.window_rows,
        "is_transposed": int(g.is_transposed),
        "in_place": int(g.in_place),
        "copied_rows": g.copied_rows,
        "input_offset": a.input_offset,
        "output_offset": a.output_offset,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
    }


def pack(a: Args) -> Mapping[str, torch.Tensor]:
    g = geometry(a)
    weight = (a.weight.transpose(1, 2) if g.is_transposed else a.weight).flatten(1)
    parts = (weight, a.bias, a.requantize_multipliers, a.requantize_shifts)
    groups = zip(*(_chunks(part, g.groups) for part in parts), strict=True)
    packed = [
        (matmul.pack_weights(w), matmul.pack_channels(w, b, a.input_offset, multiplier, shift))
        for w, b, multiplier, shift in groups
    ]
    weights, channels = zip(*packed, strict=True)
    return {"packed_weight": torch.cat(weights), "channels": torch.cat(channels)}


def _chunks(values: torch.Tensor | None, groups: int) -> list[Any]:
    return [None] * groups if values is None else list(values.chunk(groups))


def scratch_bytes(a: Args) -> int:
    g = geometry(a)
    return matmul.sums_bytes(g.windows) + matmul.copied_bytes(g.scratch_rows, g.row_bytes)


MVE = tuple(
    Kernel(
        f"ct_quantized_conv2d_nhwc{variant}_mve",
        operands=("input", "packed_weight", "channels", "out", "scratch"),
        isa=Isa.MVE,
        accepts=condition,
        params=params,
        pack=pack,
        scratch_bytes=scratch_bytes,
    )
    for variant, condition in (("", accepts_plain), ("_any", accepts))
)
