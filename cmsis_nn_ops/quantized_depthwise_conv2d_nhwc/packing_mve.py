"""The Helium kernels of the depthwise convolution: what they accept, parameters, constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import torch

from cmsis_nn_ops import matmul_mve as matmul
from cmsis_nn_ops.op_def import Args, Kernel
from cmsis_nn_ops.spatial import effective_dilation, pads
from cortorch.target import Isa

SIDE = 4
"""Words of a vector, and pixels of a word."""
BLOCK = 16
"""Channels that are interleaved: ``CT_DEPTHWISE_BLOCK``."""
POSITION_BYTES = 64
"""``CT_DEPTHWISE_POSITION_BYTES``."""
MOST_TAPS = 254
"""The zero behind the weights has an index of one byte."""


MOST_STRIPS = 4
"""``CT_DEPTHWISE_MOST_STRIPS``."""
MOST_SCRATCH_BYTES = 3456
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
    overlaps: bool
    """The last four outputs along a strip overlap those before; or they reach beyond its end."""

    @property
    def is_line(self) -> bool:
        """Words are along the strip, too."""
        return self.kernel[0] == 1 and self.kernel[1] > SIDE

    @property
    def words(self) -> int:
        """Words across a strip."""
        return -(-(self.kernel[0] + self.rows - 1) // SIDE)

    @property
    def vector_pixels(self) -> int:
        """Pixels along the strip that a vector has."""
        return SIDE * SIDE if self.is_line else SIDE

    @property
    def vectors(self) -> int:
        """Vectors along each word of a window."""
        return -(-self.kernel[1] // self.vector_pixels)

    @property
    def positions(self) -> int:
        """Along a strip; the kernels read whole vectors, for up to four outputs at once."""
        whole = -(-self.output[1] // SIDE) * SIDE
        outputs = max(SIDE, self.output[1] if self.overlaps else whole)
        word = SIDE if self.is_line else 1
        steps = self.vectors * self.vector_pixels - word
        return (outputs - 1) * self.stride[1] + steps * self.dilation[1] + 1

    @property
    def strip_bytes(self) -> int:
        return self.words * self.positions * POSITION_BYTES

    @property
    def strips_per_block(self) -> int:
        strips = -(-self.output[0] // self.rows)
        return max(1, min(strips, MOST_STRIPS, MOST_SCRATCH_BYTES // self.strip_bytes))

    @property
    def scratch_bytes(self) -> int:
        line = (self.positions + 3 * self.dilation[1]) * BLOCK if self.is_line else 0
        return self.strips_per_block * self.strip_bytes + line


Variant = Literal["stride1", "stride2", "any"]


def geometry(a: Args, variant: Variant) -> Geometry:
    """Strips lie along the longer side of the output (of the kernel, if there is none)."""
    kernel, outputs = tuple(a.weight.shape[1:3]), tuple(a.out.shape[1:3])
    is_transposed = (outputs[0], kernel[0]) > (outputs[1], kernel[1])

    def sides(values: Any) -> tuple[int, int]:
        height, width = values
        return (width, height) if is_transposed else (height, width)

    g = Geometry(
        is_transposed,
        sides(a.input.shape[1:3]),
        sides(outputs),
        sides(kernel),
        sides(a.stride),
        sides(effective_dilation(kernel, a.dilation)),
        sides(pads(a.padding)[:2]),
        rows=1,
        overlaps=variant != "any",
    )
    return replace(g, rows=2) if variant == "stride1" and _has_two_rows(g) else g


def _has_two_rows(g: Geometry) -> bool:
    """Windows of two rows fit one vector, and there are enough of them."""
    dense = g.stride == g.dilation == (1, 1) and max(g.kernel) < SIDE
    return dense and g.output[0] > 1 and g.output[1] > SIDE


def _accepts(a: Args, variant: Variant) -> bool:
    g = geometry(a, variant)
    if variant == "any":
        return g.kernel[0] * g.kernel[1] <= MOST_TAPS
    is_one_vector = g.words == g.vectors == 1
    return is_one_vector and g.stride[1] == {"stride1": 1, "stride2": 2}[variant]


def _params(a: Args, variant: Variant) -> Mapping[str, Any]:
    g = geometry(a, variant)
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
        "is_line": int(g.is_line),
        "window_words": g.words,
        "window_vectors": g.words * g.vectors,
        "strip_rows": g.rows,
        "strips_per_block": g.strips_per_block,
        "strip_positions": g.positions,
        "weight_bytes": g.kernel[0] * g.kernel[1] + 2,
    }


def _pack(a: Args, variant: Variant) -> Mapping[str, torch.Tensor]:
    g = geometry(a, variant)
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
        (across * SIDE, along * g.vector_pixels)
        for across in range(g.words)
        for along in range(g.vectors)
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
    pixels = [
        (0, first_along + i) if g.is_line else (first_across + i % SIDE, first_along + i // SIDE)
        for i in range(SIDE * SIDE)
    ]
    return [
        1 + (x * across + y if 0 <= x < along and 0 <= y < across else across * along)
        for y, x in pixels
    ]


def _kernel(variant: Variant) -> Kernel:
    suffix = "" if variant == "any" else f"_{variant}"
    return Kernel(
        f"ct_quantized_depthwise_conv2d_nhwc{suffix}_mve",
        operands=("input", "weights", "channels", "vectors", "out", "scratch"),
        isa=Isa.MVE,
        accepts=partial(_accepts, variant=variant),
        params=partial(_params, variant=variant),
        pack=partial(_pack, variant=variant),
        scratch_bytes=lambda a: geometry(a, variant).scratch_bytes,
    )


MVE = (_kernel("stride1"), _kernel("stride2"), _kernel("any"))
