"""Constant padding and cropping of int8 tensors; the contract is in ``pad.h``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F

from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern

RANK = 4
"""``pre_pad`` and ``post_pad`` have this many entries; tensors of lower rank use the last ones."""


def _pads(a: Args) -> list[tuple[int, int]]:
    """(before, after) for each axis of the input."""
    first = RANK - a.input.dim()
    return list(zip(a.pre_pad[first:], a.post_pad[first:], strict=True))


def _kept(size: int, before: int, after: int) -> int:
    """Entries of an axis that a negative pad leaves."""
    return size + min(before, 0) + min(after, 0)


def fake(a: Args) -> torch.Tensor:
    shape = [n + sum(pad) for n, pad in zip(a.input.shape, _pads(a), strict=True)]
    return a.input.new_empty(shape)


def reference(a: Args) -> torch.Tensor:
    pads = [n for pad in reversed(_pads(a)) for n in pad]
    return F.pad(a.input, pads, value=a.pad_value)


Axis = tuple[int, int, int]
"""Size, pad before, pad behind."""


def _joined(axes: Sequence[Axis]) -> list[Axis]:
    """Each axis together with those behind it that have no pads: their elements move as one."""
    joined: list[Axis] = []
    for size, before, after in axes:
        if joined and not (before or after):
            inner, ahead, behind = joined[-1]
            joined[-1] = inner * size, ahead * size, behind * size
        else:
            joined.append((size, before, after))
    return joined


def _four(axes: list[Axis]) -> list[Axis]:
    return [(1, 0, 0)] * (RANK - len(axes)) + axes


def _params(a: Args) -> dict[str, Any]:
    axes = [(n, *pad) for n, pad in zip(a.input.shape, _pads(a), strict=True)]
    axes = _four(_joined(axes))
    kept = [_kept(*axis) for axis in axes]
    input_strides = _strides([n for n, _, _ in axes])
    output_strides = _strides([sum(axis) for axis in axes])
    before = [b for _, b, _ in axes]
    return {
        "output_bytes": a.out.numel(),
        "input_begin": _dot([max(-b, 0) for b in before], input_strides),
        "output_begin": _dot([max(b, 0) for b in before], output_strides),
        "counts": kept[:-1],
        "input_strides": input_strides[:-1],
        "output_strides": output_strides[:-1],
        "row_bytes": kept[-1],
        "pad_value": a.pad_value,
    }


def _strides(shape: Sequence[int]) -> list[int]:
    return [math.prod(shape[i + 1 :]) for i in range(len(shape))]


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


CONSTRAINTS = (
    Constraint(
        "C1",
        "input is int8 of rank 1..4",
        lambda a: a.input.dtype == torch.int8 and 1 <= a.input.dim() <= RANK,
    ),
    Constraint(
        "C2",
        "pre_pad and post_pad have four entries, 0 for axes that the input does not have",
        lambda a: (
            len(a.pre_pad) == len(a.post_pad) == RANK
            and not any([*a.pre_pad, *a.post_pad][i] for i in _absent(a.input.dim()))
        ),
    ),
    Constraint(
        "C3",
        "negative pads leave something of every axis",
        lambda a: all(_kept(n, *pad) > 0 for n, pad in zip(a.input.shape, _pads(a), strict=True)),
    ),
    Constraint("C4", "pad_value is in -128..127", lambda a: -128 <= a.pad_value <= 127),
)


def _absent(rank: int) -> list[int]:
    return [i + side for side in (0, RANK) for i in range(RANK - rank)]


def _not_constant(a: Args) -> str | None:
    if getattr(a, "mode", "constant") != "constant":
        return f"padding mode {a.mode!r} has no int8 kernel"
    if not math.isfinite(a.value or 0):
        return f"padding with {a.value} cannot be quantized"
    return None


def _lower(ctx: Any) -> torch.fx.Node:
    """``aten.constant_pad_nd``; more than four axes work where the leading ones are not padded."""
    a, quant = ctx.args, ctx.quant("self")
    if not quant.same(ctx.out):
        ctx.reject("input and output have different quantization parameters")
    if not any(a.pad):
        return a.input
    value = float(a.value or 0)
    stored = round(value / quant.scale) + quant.zero_point
    if not quant.quant_min <= stored <= quant.quant_max:
        ctx.reject(f"the pad value {value} is outside the range of the input's int8 parameters")
    shape = ctx.shape(a.input)
    missing = [(0, 0)] * (len(shape) - len(a.pad) // 2)
    pads = missing + list(zip(a.pad[::2], a.pad[1::2], strict=True))[::-1]
    axes = [(size, *pad) for size, pad in zip(shape, pads, strict=True)]
    if len(axes) > RANK:
        axes = _joined(axes)
    if len(axes) > RANK:
        ctx.reject(f"pads more than the last three of {len(shape)} axes, or scattered ones")
    axes = _four(axes)
    y = ctx.call(
        OP.name,
        input=a.input if len(shape) <= RANK else ctx.view(a.input, [size for size, _, _ in axes]),
        pre_pad=[before for _, before, _ in axes],
        post_pad=[after for _, _, after in axes],
        pad_value=stored,
    )
    return ctx.view(y, ctx.shape(ctx.node))


def _permuted(a: Args, perm: tuple[int, ...]) -> dict[str, Any]:
    first = RANK - len(perm)
    order = [*range(first), *(first + axis for axis in perm)]
    return {name: [getattr(a, name)[i] for i in order] for name in ("pre_pad", "post_pad")}


OP = OpDef(
    name="pad",
    schema="(Tensor input, int[] pre_pad, int[] post_pad, int pad_value) -> Tensor",
    summary="constant padding and cropping (negative pads)",
    fake=fake,
    reference=reference,
    constraints=CONSTRAINTS,
    kernels=(Kernel("ct_pad", operands=("input", "out"), params=_params),),
    patterns=(
        Pattern(
            targets=("aten.pad.default", "aten.constant_pad_nd.default"),
            activations=("self",),
            output="shared",
            rejects=_not_constant,
        ),
    ),
    lowerings=(Lowering(targets=("aten.constant_pad_nd.default",), rewrite=_lower),),
    permuted=_permuted,
)
