"""What the lowerings of convolutions share: one spatial dimension is a height with a width of 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Layer:
    """A quantized ``aten.convolution`` of two spatial dimensions, in numbers."""

    weight: torch.Tensor
    """int8 [output channels, height, width, input channels of a group]."""
    groups: int
    stride: list[int]
    padding: list[int]
    """(height, width), or (top, left, bottom, right) where the ends differ."""
    dilation: list[int]
    output_padding: list[int]
    requantization: dict[str, Any]
    """Arguments that all convolutions of the dialect have under these names, and ``bias``."""


def lower(ctx: Any, convolve: Callable[[torch.fx.Node, Layer], torch.fx.Node]) -> torch.fx.Node:
    """Lowers ``aten.convolution`` of rank 3 or 4; ``convolve`` works on an NHWC image."""
    shape = ctx.shape(ctx.args.input)
    layer = _layer(ctx, missing=4 - len(shape))
    image = ctx.view(ctx.args.input, [*shape, *[1] * (4 - len(shape))])
    result = ctx.from_nhwc(convolve(ctx.to_nhwc(image), layer))
    return ctx.view(result, ctx.shape(ctx.node))


def _layer(ctx: Any, missing: int) -> Layer:
    """``missing`` spatial dimensions of one pixel are appended."""
    a = ctx.args
    weight = ctx.constant_data(a.weight)
    if weight is not None and a.transposed:
        weight = swap_channels(weight, a.groups)
    channel = ctx.channel_quantization(weight=weight)
    one, nothing = [1] * missing, [(0, 0)] * missing
    return Layer(
        weight=channel.weight.reshape(*channel.weight.shape, *one).permute(0, 2, 3, 1),
        groups=a.groups,
        stride=[*a.stride, *one],
        padding=_ends([*ctx.pads(a.padding), *nothing]),
        dilation=[*a.dilation, *one],
        output_padding=[*a.output_padding, *[0] * missing],
        requantization={
            "bias": ctx.constant("bias", channel.bias),
            "input_offset": -ctx.quant("input").zero_point,
            "output_offset": ctx.out.zero_point,
            "requantize_multipliers": ctx.constant("multiplier", channel.multiplier),
            "requantize_shifts": ctx.constant("shift", channel.shift),
            "activation_min": ctx.activation_min,
            "activation_max": ctx.activation_max,
        },
    )


def _ends(pads: Sequence[tuple[int, int]]) -> list[int]:
    before, after = ([pad[side] for pad in pads] for side in (0, 1))
    return before if before == after else [*before, *after]


def swap_channels(weight: torch.Tensor, groups: int) -> torch.Tensor:
    """A transposed convolution's [inputs, outputs / groups, ...] as [outputs, inputs / groups,
    ...]; the way back is the same."""
    return weight.unflatten(0, (groups, -1)).transpose(1, 2).flatten(0, 1)
