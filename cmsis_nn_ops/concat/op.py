"""Concatenation along any axis, any dtype; the contract is in ``concat.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import axis
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern

TENSORS_MAX = 15
"""CT_MAX_OPERANDS without the output; ``row_bytes`` in ``concat.h`` has as many entries."""


def fake(a: Args) -> torch.Tensor:
    shape = list(a.tensors[0].shape)
    shape[a.dim] = sum(t.shape[a.dim] for t in a.tensors)
    return a.tensors[0].new_empty(shape)


def _params(a: Args) -> dict[str, Any]:
    rows = [
        length * inner * t.dtype.itemsize
        for t in a.tensors
        for _, length, inner in [axis.split(t.shape, a.dim)]
    ]
    return {"outer": axis.split(a.out.shape, a.dim)[0], "tensors": len(rows), "row_bytes": rows}


def _other_axes(t: torch.Tensor, dim: int) -> list[int]:
    shape = list(t.shape)
    shape.pop(dim)
    return shape


CONSTRAINTS = (
    Constraint("C1", "there are 1..15 tensors", lambda a: 1 <= len(a.tensors) <= TENSORS_MAX),
    Constraint(
        "C2",
        "all have the same dtype and the axis dim",
        lambda a: all(
            t.dtype == a.tensors[0].dtype and axis.has(t.shape, a.dim) for t in a.tensors
        ),
    ),
    Constraint(
        "C3",
        "they agree in every other axis",
        lambda a: all(_other_axes(t, a.dim) == _other_axes(a.tensors[0], a.dim) for t in a.tensors),
    ),
)


def _lower(ctx: Any) -> torch.fx.Node:
    """``aten.cat``; empty tensors vanish, long lists become several calls."""
    if ctx.info.output and not all(q.same(ctx.out) for q in ctx.quants("tensors")):
        ctx.reject("inputs and output have different quantization parameters")
    tensors = [t for t in ctx.args.tensors if 0 not in ctx.shape(t)]
    while len(tensors) > 1:
        head, tail = tensors[:TENSORS_MAX], tensors[TENSORS_MAX:]
        tensors = [ctx.call(OP.name, tensors=head, dim=ctx.args.dim), *tail]
    if not tensors:
        ctx.reject("all its tensors are empty")
    return tensors[0]


def _lower_expand(ctx: Any) -> torch.fx.Node:
    """``aten.expand_copy``: copies side by side along every dimension that grows."""
    shape = ctx.shape(ctx.node)
    before = ctx.shape(ctx.args.self)
    before = (*[1] * (len(shape) - len(before)), *before)
    y = ctx.view(ctx.args.self, before)
    for dim, (old, new) in enumerate(zip(before, shape, strict=True)):
        if old != new:
            y = _repeat(ctx, y, dim, new)
    return y


def _repeat(ctx: Any, x: torch.fx.Node, dim: int, times: int) -> torch.fx.Node:
    if times <= TENSORS_MAX:
        return x if times == 1 else ctx.call(OP.name, tensors=[x] * times, dim=dim)
    many, rest = divmod(times, TENSORS_MAX)
    parts = [_repeat(ctx, ctx.call(OP.name, tensors=[x] * TENSORS_MAX, dim=dim), dim, many)]
    if rest:
        parts.append(_repeat(ctx, x, dim, rest))
    return parts[0] if len(parts) == 1 else ctx.call(OP.name, tensors=parts, dim=dim)


OP = OpDef(
    name="concat",
    schema="(Tensor[] tensors, int dim) -> Tensor",
    summary="concatenation along any axis, any dtype",
    fake=fake,
    reference=lambda a: torch.cat(a.tensors, a.dim),
    constraints=CONSTRAINTS,
    kernels=(Kernel("ct_concat", operands=("tensors*", "out"), params=_params),),
    patterns=(
        Pattern(
            targets=("aten.cat.default", "aten.concat.default", "aten.concatenate.default"),
            activations=("tensors",),
            output="shared",
        ),
    ),
    lowerings=(
        Lowering(targets=("aten.cat.default",), rewrite=_lower, needs_quantization=False),
        Lowering(
            targets=("aten.expand_copy.default",), rewrite=_lower_expand, needs_quantization=False
        ),
    ),
    permuted=lambda a, perm: {"dim": axis.moved(a.dim, perm)},
)
