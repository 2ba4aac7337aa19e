"""What ATen calls an average: pools, adaptive pools and means, as one NHWC average pool."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args
from cmsis_nn_ops.spatial import UINT16_MAX, pair

NAME = "quantized_avg_pool2d_nhwc"


def _average(ctx: Any, image: torch.fx.Node, kernel: Sequence[int], **window: Any) -> torch.fx.Node:
    """Averages an NHWC image; by default windows do not overlap and there is no padding."""
    if not ctx.quant("self").same(ctx.out):
        ctx.reject("the output's scale or zero point is not the input's")
    multiplier, shift = fp.quantize_multiplier(min(ctx.out.scale, 2.0**29))
    return ctx.call(
        NAME,
        input=image,
        kernel_size=list(kernel),
        stride=list(window.get("stride", kernel)),
        padding=list(window.get("padding", (0, 0))),
        ceil_mode=window.get("ceil_mode", False),
        zero_point=ctx.out.zero_point,
        multiplier=multiplier,
        shift=shift,
        scratch=ctx.scratch(),
    )


def rejects_pool(a: Args) -> str | None:
    return (
        None if a.divisor_override is None else "divisor_override changes the scale of an average"
    )


def lower_pool(ctx: Any) -> torch.fx.Node:
    """``aten.avg_pool2d`` that divides by the number of pixels inside the input."""
    a = ctx.args
    kernel, padding = pair(a.kernel_size), pair(a.padding)
    if a.divisor_override is not None or (a.count_include_pad and any(padding)):
        ctx.decline()
    y = _average(
        ctx,
        ctx.to_nhwc(a.self),
        kernel,
        stride=pair(a.stride or kernel),
        padding=padding,
        ceil_mode=a.ceil_mode,
    )
    return ctx.from_nhwc(y)


def rejects_adaptive(a: Args) -> str | None:
    return _indivisible(a.self.shape, a.output_size)


def _indivisible(shape: Sequence[int], output_size: Sequence[int]) -> str | None:
    if all(size % n == 0 for size, n in zip(shape[-2:], output_size, strict=True)):
        return None
    return (
        f"an adaptive pool of {list(shape[-2:])} to {list(output_size)} has windows of unequal size"
    )


def lower_adaptive(ctx: Any) -> torch.fx.Node:
    """``aten._adaptive_avg_pool2d`` where the input's size is a multiple of the output's."""
    a = ctx.args
    shape = ctx.shape(a.self)
    reason = _indivisible(shape, a.output_size)
    if reason:
        ctx.reject(reason)
    kernel = [size // n for size, n in zip(shape[-2:], a.output_size, strict=True)]
    return ctx.from_nhwc(_average(ctx, ctx.to_nhwc(a.self), kernel))


def rejects_mean(a: Args) -> str | None:
    return _not_one_window(a.self.shape, _reduced(a.self.shape, a))


def _reduced(shape: Sequence[int], a: Args) -> list[int]:
    """Dimensions that a mean reduces, in order; ``mean.default`` and an empty list reduce all."""
    dims = getattr(a, "dim", None) or range(len(shape))
    return sorted(d % len(shape) for d in dims)


def _not_one_window(shape: Sequence[int], dims: Sequence[int]) -> str | None:
    """Why a mean over ``dims`` is not an average over one window of [outer, length, 1, inner]."""
    if not dims or list(dims) != list(range(dims[0], dims[-1] + 1)):
        return f"a mean over dimensions {list(dims)}, which are not neighbours"
    sizes = _split(shape, dims)
    if max(sizes) > UINT16_MAX or min(sizes) == 0:
        return f"a mean over dimensions {list(dims)} of {list(shape)}: sizes not in 1..{UINT16_MAX}"
    return None


def _split(shape: Sequence[int], dims: Sequence[int]) -> tuple[int, int, int]:
    first, end = dims[0], dims[-1] + 1
    return prod(shape[:first]), prod(shape[first:end]), prod(shape[end:])


def lower_mean(ctx: Any) -> torch.fx.Node:
    """``aten.mean`` over neighbouring dimensions; over height and width in the layout of images."""
    a = ctx.args
    shape, out_shape = ctx.shape(a.self), list(ctx.shape(ctx.node))
    dims = _reduced(shape, a)
    reason = _not_one_window(shape, dims)
    if reason:
        ctx.reject(reason)
    if len(shape) == 4 and dims == [2, 3]:
        y = _average(ctx, ctx.to_nhwc(a.self), shape[2:])
        return ctx.from_nhwc(y) if a.keepdim else ctx.view(y, out_shape)
    outer, length, inner = _split(shape, dims)
    y = _average(ctx, ctx.view(a.self, [outer, length, 1, inner]), [length, 1])
    return ctx.view(y, out_shape)
