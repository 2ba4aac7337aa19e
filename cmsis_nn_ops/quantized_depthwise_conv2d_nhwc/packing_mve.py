"""The Helium kernels of the depthwise convolution: what they accept, parameters, constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from cmsis_nn_ops import matmul_mve as matmul
from cmsis_nn_ops.op_def import Args, Kernel
from cmsis_nn_ops.spatial import effective_dilation, pads
from cortorch.target import Isa

SIDE = 4
"""Pixels of a vector in both directions."""
POSITION_BYTES = 64
"""``CT_DEPTHWISE_POSITION_BYTES``."""
MOST_TAPS = 254
"""The zero behind the weights has an index of one byte."""


MOST_STRIPS = 4
"""``CT_DEPTHWISE_MOST_STRIPS``."""
MOST_SCRATCH_BYTES = 3328
"""For more than one strip at a time."""


@dataclass(frozen=True)
class Geometry:
    """Sizes as (across, along) the strips that the kernels work on."""

    is_transposed: bool
    input: tuple[int, int]
    output: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[int, int]
    rows: int
    """Outputs across a strip."""

    @property
    def words(self) -> int:
        """Words across a strip."""
        return -(-(self.kernel[0] + self.rows - 1) // SIDE)

    @property
    def vectors(self) -> int:
        """Vectors along each word of a window."""
        return -(-self.kernel[1] // SIDE)

    @property
    def positions(self) -> int:
        """Along a strip; the kernels read whole vectors, for one or two rows of outputs at once."""
        together = SIDE // self.rows
        outputs = max(together, -(-self.output[1] // together) * together - (self.rows - 1))
        return (outputs - 1) * self.stride[1] + (self.vectors * SIDE - 1) * self.dilation[1] + 1

    @property
    def strip_bytes(self) -> int:
        return self.words * self.positions * POSITION_BYTES

    @property
    def strips_per_block(self) -> int:
        strips = -(-self.output[0] // self.rows)
        return max(1, min(strips, MOST_STRIPS, MOST_SCRATCH_BYTES // self.strip_bytes))


def geometry(a: Args, rows: int) -> Geometry:
    """Strips lie along the longer side of the output."""
    is_transposed = a.out.shape[1] > a.out.shape[2]

    def sides(values: Any) -> tuple[int, int]:
        height, width = values
        return (width, height) if is_transposed else (height, width)

    kernel = a.weight.shape[1:3]
    return Geometry(
        is_transposed,
        sides(a.input.shape[1:3]),
        sides(a.out.shape[1:3]),
        sides(kernel),
        sides(a.stride),
        sides(effective_dilation(kernel, a.dilation)),
        sides(pads(a.padding)[:2]),
        rows,
    )


def _accepts(a: Args) -> bool:
    return int(a.weight[0, :, :, 0].numel()) <= MOST_TAPS


def _accepts_stride2(a: Args) -> bool:
    g = geometry(a, 1)
    return max(g.kernel) <= SIDE and g.dilation == (1, 1) and g.stride[1] == 2


def _accepts_pairs(a: Args) -> bool:
    g = geometry(a, 2)
    dense = g.dilation == (1, 1) and g.stride == (1, 1)
    return dense and max(g.kernel) < SIDE and min(g.output) >= 2


def _params(a: Args, rows: int) -> Mapping[str, Any]:
    g = geometry(a, rows)
    return {
        "batches": a.input.shape[0],
        "input_height": g.input[0],
        "input_width": g.input[1],
        "input_channels": a.input.shape[3],
        "output_height": g.output[0],
        "output_width": g.output[1],
        "depth_multiplier": a.depth_multiplier,
        "kernel_height": g.kernel[0],
        "kernel_width": g.kernel[1],
        "stride_height": g.stride[0],
        "stride_width": g.stride[1],
        "dilation_height": g.dilation[0],
        "dilation_width": g.dilation[1],
        "pad_top": g.padding[0],
        "pad_left": g.padding[1],
        "input_offset": a.input_offset,
        "output_offset": a.output_offset,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
        "is_transposed": int(g.is_transposed),
        "window_words": g.words,
        "window_vectors": g.words * g.vectors,
        "strips_per_block": g.strips_per_block,
        "strip_positions": g.positions,
        "weight_bytes": g.kernel[0] * g.kernel[1] + 2,
    }


def _pack(a: Args, rows: int) -> Mapping[str, torch.Tensor]:
    g = geometry(a, rows)
    # [channel, along, across]
    weight = a.weight[0].permute(2, 0, 1) if g.is_transposed else a.weight[0].permute(2, 1, 0)
    weight = weight.flatten(1)
    shift = matmul.shifts(a.requantize_multipliers, a.requantize_shifts)
    shift = shift.to(torch.int8).unsqueeze(1)
    bias = matmul.fold_offset(weight, a.bias, a.input_offset)
    return {
        "weights": torch.cat([shift, weight, torch.zeros_like(shift)], dim=1),
        "channels": torch.stack([bias, a.requantize_multipliers], dim=1),
        "vectors": _vectors(g),
    }


def _vectors(g: Geometry) -> torch.Tensor:
    """``ct_depthwise_vector`` of a window as int32 words, word by word across."""
    starts = [
        (across * SIDE, along * SIDE) for across in range(g.words) for along in range(g.vectors)
    ]
    taps = [_taps(g, *start) for start in starts]
    offsets = [
        POSITION_BYTES * (across // SIDE * g.positions + along * g.dilation[1])
        for across, along in starts
    ]
    if g.rows > 1:
        taps, offsets = [*taps, _taps(g, 0, -1)], [*offsets, 0]
    words = torch.tensor(taps, dtype=torch.uint8).view(torch.int32)
    return torch.cat([words, torch.tensor(offsets, dtype=torch.int32).unsqueeze(1)], dim=1)


def _taps(g: Geometry, first_across: int, first_along: int) -> list[int]:
    """Index of each pixel's weight in the bytes of a channel; of the zero outside the window."""
    across, along = g.kernel
    return [
        1 + (x * across + y if 0 <= x < along and 0 <= y < across else across * along)
        for x in range(first_along, first_along + SIDE)
        for y in range(first_across, first_across + SIDE)
    ]


def _scratch_bytes(a: Args, rows: int) -> int:
    g = geometry(a, rows)
    return g.strips_per_block * g.strip_bytes


def _kernel(name: str, accepts: Any, rows: int) -> Kernel:
    return Kernel(
        f"ct_quantized_depthwise_conv2d_nhwc{name}_mve",
        operands=("input", "weights", "channels", "vectors", "out", "scratch"),
        isa=Isa.MVE,
        accepts=accepts,
        params=partial(_params, rows=rows),
        pack=partial(_pack, rows=rows),
        scratch_bytes=partial(_scratch_bytes, rows=rows),
    )


MVE = (
    _kernel("_pairs", _accepts_pairs, 2),
    _kernel("_stride2", _accepts_stride2, 1),
    _kernel("", _accepts, 1),
)
