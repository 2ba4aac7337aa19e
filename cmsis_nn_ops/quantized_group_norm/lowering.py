"""ATen's normalizations as one of groups of channels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch

from cmsis_nn_ops.op_def import Args, Lowering, Pattern

NAME = "quantized_group_norm"
COUNT_MAX = 2**20
EPSILON_MAX = 2**61
FLOAT32_EPSILON = 2.0**-23


def normalized_bits(count: int) -> int:
    """Fraction bits of a normalized value, which is at most sqrt(count)."""
    return 29 - ((count - 1).bit_length() + 1) // 2


@dataclass(frozen=True)
class Norm:
    """[batches, pixels, channels] that are normalized in groups of channels."""

    batches: int
    pixels: int
    channels: int
    groups: int
    centered: bool = True

    @property
    def count(self) -> int:
        return self.pixels * self.channels // self.groups

    @property
    def shape(self) -> list[int]:
        return [self.batches, self.pixels, self.channels]


def _of_last_dimensions(shape: Sequence[int], length: int, centered: bool) -> Norm:
    return Norm(prod(shape) // length, 1, length, 1, centered)


def _of_channels(shape: Sequence[int], groups: int) -> Norm:
    """[N,C,*]"""
    return Norm(shape[0], prod(shape[2:]), shape[1], groups)


def _folded(ctx: Any, norm: Norm) -> dict[str, Any]:
    """Weight and bias in integers, as fine as they can be."""
    scale, bits = float(ctx.out.scale), normalized_bits(norm.count)
    weight = _data(ctx, "weight", 1.0, norm) / scale
    bias = _data(ctx, "bias", 0.0, norm) / scale
    finest = [30.0]
    for largest, room in ((weight.abs().max(), bits), (bias.abs().max(), 30)):
        if largest > 0:
            finest.append(room - math.log2(largest) - 2.0**-20)
    output_bits = math.floor(min(finest))
    return {
        "weight": _int32(ctx, "weight", weight * 2.0 ** (output_bits - bits + 31)),
        "bias": _int32(ctx, "bias", bias * 2.0**output_bits),
        "output_bits": output_bits,
    }


def _data(ctx: Any, name: str, default: float, norm: Norm) -> torch.Tensor:
    node = getattr(ctx.args, name, None)
    if node is None:
        return torch.full((norm.channels,), default, dtype=torch.float64)
    data = ctx.constant_data(node)
    if data is None:
        ctx.reject(f"{name} is computed at run time")
    return data.double().flatten()


def _int32(ctx: Any, name: str, values: torch.Tensor) -> torch.fx.Node:
    limit = 2**31 - 1
    node: torch.fx.Node = ctx.constant(name, values.round().clamp(-limit, limit).to(torch.int32))
    return node


def _call(ctx: Any, image: torch.fx.Node, norm: Norm) -> torch.fx.Node:
    eps = FLOAT32_EPSILON if ctx.args.eps is None else ctx.args.eps
    source = ctx.quant("input")
    y: torch.fx.Node = ctx.call(
        NAME,
        input=ctx.view(image, norm.shape),
        groups=norm.groups,
        centered=norm.centered,
        input_zero_point=source.zero_point,
        output_zero_point=ctx.out.zero_point,
        epsilon=min(round((norm.count / float(source.scale)) ** 2 * eps), EPSILON_MAX),
        activation_min=ctx.activation_min,
        activation_max=ctx.activation_max,
        **_folded(ctx, norm),
    )
    return y


def _lower_last_dimensions(ctx: Any) -> torch.fx.Node:
    """``aten.layer_norm``, and ``aten.rms_norm``, which has no bias."""
    shape = ctx.shape(ctx.args.input)
    norm = _of_last_dimensions(shape, prod(ctx.args.normalized_shape), hasattr(ctx.args, "bias"))
    y: torch.fx.Node = ctx.view(_call(ctx, ctx.args.input, norm), shape)
    return y


def _lower_channels(groups: Callable[[Args, int], int]) -> Callable[[Any], torch.fx.Node]:
    """``aten.group_norm`` and ``aten.instance_norm``, with channels last."""

    def rewrite(ctx: Any) -> torch.fx.Node:
        shape = ctx.shape(ctx.args.input)
        rank = len(shape)
        norm = _of_channels(shape, groups(ctx.args, shape[1]))
        y = _call(ctx, ctx.permute(ctx.args.input, (0, *range(2, rank), 1)), norm)
        y = ctx.view(y, [shape[0], *shape[2:], shape[1]])
        back: torch.fx.Node = ctx.permute(y, (0, rank - 1, *range(1, rank - 1)))
        return back

    return rewrite


def _rejects(groups: Callable[[Args, int], int]) -> Callable[[Args], str | None]:
    return lambda a: _too_large(_of_channels(a.input.shape, groups(a, a.input.shape[1])))


def _rejects_last_dimensions(a: Args) -> str | None:
    return _too_large(_of_last_dimensions(a.input.shape, prod(a.normalized_shape), True))


def _too_large(norm: Norm) -> str | None:
    if norm.count <= COUNT_MAX and norm.channels < 2**16:
        return None
    return f"it normalizes {norm.count} values of {norm.channels} channels at once"


def _instance_groups(_: Args, channels: int) -> int:
    return channels


def _given_groups(a: Args, _: int) -> int:
    return int(a.num_groups)


def _rejects_instance(a: Args) -> str | None:
    if not a.use_input_stats:
        return "its statistics are not those of the input"
    return _rejects(_instance_groups)(a)


_LAYER, _RMS = "aten.layer_norm.default", "aten.rms_norm.default"
_GROUP, _INSTANCE = "aten.group_norm.default", "aten.instance_norm.default"
TARGETS = (_LAYER, _RMS, _GROUP, _INSTANCE)

PATTERNS = tuple(
    Pattern(targets=(target,), parameters=parameters, fuses_activation=True, rejects=rejects)
    for target, parameters, rejects in (
        (_LAYER, ("weight", "bias"), _rejects_last_dimensions),
        (_RMS, ("weight",), _rejects_last_dimensions),
        (_GROUP, ("weight", "bias"), _rejects(_given_groups)),
        (_INSTANCE, ("weight", "bias"), _rejects_instance),
    )
)
LOWERINGS = (
    Lowering(targets=(_LAYER, _RMS), rewrite=_lower_last_dimensions),
    Lowering(targets=(_GROUP,), rewrite=_lower_channels(_given_groups)),
    Lowering(targets=(_INSTANCE,), rewrite=_lower_channels(_instance_groups)),
)
