"""The depthwise convolution's kernels for the DSP extension: what they accept, constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

from cmsis_nn_ops import matmul_dsp
from cmsis_nn_ops.op_def import Args, Kernel
from cmsis_nn_ops.spatial import effective_dilation, pads
from cortorch.target import Isa

CHANNELS = 4
"""That are transposed together."""
OUTPUTS = 4
"""That are computed together, along a line."""
MOST_TILE_BYTES = 4096
"""Of planes, unless one row of outputs needs more."""


@dataclass(frozen=True)
class Geometry:
    """Sizes as (across, along) the lines that the kernels work on."""

    is_transposed: bool
    input: tuple[int, int]
    output: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[int, int]

    @property
    def is_3x3(self) -> bool:
        return self.kernel == (3, 3)

    @property
    def groups(self) -> int:
        """Of outputs of a line."""
        return -(-self.output[1] // OUTPUTS)

    @property
    def pieces(self) -> int:
        """Of two or three taps, in a row of a window."""
        return max(1, self.kernel[1] // 2)

    @property
    def pitch(self) -> int:
        """Words of a line of a plane, borders included."""
        return self.groups * OUTPUTS // 2 * self.stride[1] + self.pieces

    def lines(self, rows: int) -> int:
        """Lines of the input that so many rows of outputs see."""
        return (rows - 1) * self.stride[0] + (self.kernel[0] - 1) * self.dilation[0] + 1

    @property
    def rows(self) -> int:
        """Rows of outputs in a tile."""
        line_bytes = 4 * CHANNELS * self.pitch
        fitting = [
            n for n in range(1, self.output[0] + 1) if self.lines(n) * line_bytes <= MOST_TILE_BYTES
        ]
        return max(fitting, default=1)

    @property
    def row_bytes(self) -> int:
        """Weights of a row."""
        return -(-self.kernel[1] // 4) * 4

    @property
    def tap_words(self) -> int:
        """Weights of a channel in pairs."""
        return 6 if self.is_3x3 else 3 * self.kernel[0] * self.pieces


def _sides(values: Any, is_transposed: bool) -> tuple[int, int]:
    height, width = values
    return (width, height) if is_transposed else (height, width)


def _geometry(a: Args, is_transposed: bool) -> Geometry:
    kernel = a.weight.shape[1:3]
    sides = (
        a.input.shape[1:3],
        a.out.shape[1:3],
        kernel,
        a.stride,
        effective_dilation(kernel, a.dilation),
        pads(a.padding)[:2],
    )
    return Geometry(is_transposed, *(_sides(s, is_transposed) for s in sides))


def geometry(a: Args) -> Geometry:
    """The direction with less work among those that have a kernel."""
    both = [_geometry(a, False), _geometry(a, True)]
    return min(
        both, key=lambda g: (not _is_possible(g), g.groups * g.output[0] * g.pieces * g.kernel[0])
    )


def _is_possible(g: Geometry) -> bool:
    return g.dilation[1] == 1 and g.stride[1] <= 2


def _channels(a: Args) -> matmul_dsp.Channels:
    return matmul_dsp.channels(
        a.weight.flatten(0, 2).t(),
        a.bias,
        a.input_offset,
        a.requantize_multipliers,
        a.requantize_shifts,
        a.output_offset,
    )


def accepts(a: Args) -> bool:
    g = geometry(a)
    plain = a.depth_multiplier == 1 and a.input.shape[3] >= CHANNELS
    return plain and _is_possible(g) and _channel_words(g) < 256 and _channels(a).fit()


def params(a: Args) -> Mapping[str, Any]:
    g = geometry(a)
    return {
        "batches": a.input.shape[0],
        "input_height": g.input[0],
        "input_width": g.input[1],
        "input_channels": a.input.shape[3],
        "output_height": g.output[0],
        "output_width": g.output[1],
        "kernel_height": g.kernel[0],
        "kernel_width": g.kernel[1],
        "stride_height": g.stride[0],
        "stride_width": g.stride[1],
        "dilation_height": g.dilation[0],
        "pad_top": g.padding[0],
        "pad_left": g.padding[1],
        "input_offset": a.input_offset,
        "output_offset": a.output_offset,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
        "is_transposed": int(g.is_transposed),
        "tile_rows": g.rows,
        "tile_pitch": g.pitch,
        "tap_words": g.tap_words,
        "channel_words": _channel_words(g),
    }


def _channel_words(g: Geometry) -> int:
    return 3 + g.kernel[0] * g.row_bytes // 4


def pack(a: Args) -> Mapping[str, torch.Tensor]:
    g, c = geometry(a), _channels(a)
    height, width = a.weight.shape[1:3]
    rows = c.weight.unflatten(1, (height, width))
    rows = rows.transpose(1, 2) if g.is_transposed else rows
    rows = F.pad(rows, (0, g.row_bytes - g.kernel[1])).to(torch.int8).flatten(1)
    constants = torch.stack([2 * c.bias, c.multiplier, -c.shift - 1], dim=1).to(torch.int32)
    return {"channels": torch.cat([constants, rows.contiguous().view(torch.int32)], dim=1)}


def scratch_bytes(a: Args) -> int:
    g = geometry(a)
    return 4 * (CHANNELS * g.lines(g.rows) * g.pitch + g.tap_words)


def _in_place(a: Args) -> bool:
    """Whether all pixels of some channels are read before their outputs are written."""
    g = geometry(a)
    return bool(
        g.rows == g.output[0] and a.input.shape == a.out.shape and a.input.shape[3] % CHANNELS == 0
    )


def _kernel(name: str, is_3x3: bool, stride: int, in_place: bool) -> Kernel:
    def fits(a: Args) -> bool:
        g = geometry(a)
        return is_3x3 <= g.is_3x3 and g.stride[1] == stride and in_place <= _in_place(a)

    return Kernel(
        f"ct_quantized_depthwise_conv2d_nhwc{name}_dsp",
        operands=("input", "channels", "out", "scratch"),
        isa=Isa.DSP,
        accepts=lambda a: fits(a) and accepts(a),
        params=params,
        pack=pack,
        scratch_bytes=scratch_bytes,
        in_place=("input",) if in_place else (),
    )


DSP = tuple(
    _kernel(f"{window}{suffix}", bool(window), stride, in_place)
    for window in ("_3x3", "")
    for stride, suffix in ((1, ""), (2, "_stride2"))
    for in_place in (True, False)
)
