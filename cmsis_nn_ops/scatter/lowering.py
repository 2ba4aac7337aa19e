"""What ATen calls setting entries by index."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Lowering, Pattern

NAME = "scatter"
PUT = "aten.index_put.default"
SCATTER = ("aten.scatter.src", "aten.scatter_add.default")


def _same_parameters(ctx: Any, *names: str) -> None:
    quantized = [ctx.info.inputs.get(name) for name in names]
    if ctx.info.output and not all(q is not None and q.same(ctx.out) for q in quantized):
        ctx.reject("inputs and output have different quantization parameters")


def _lower_put(ctx: Any) -> torch.fx.Node:
    """Indices of neighbouring axes; their shapes broadcast."""
    _same_parameters(ctx, "self", "values")
    given = [(dim, index) for dim, index in enumerate(ctx.args.indices) if index is not None]
    dims, indices = [dim for dim, _ in given], [index for _, index in given]
    if not dims or dims != list(range(dims[0], dims[0] + len(dims))):
        ctx.reject("the indexed axes are not neighbours")
    if any(ctx.dtype(index) not in (torch.int32, torch.int64) for index in indices):
        ctx.reject("an index is no integer: how many entries it picks depends on data")
    picked = torch.broadcast_shapes(*(ctx.shape(index) for index in indices))
    shape = ctx.shape(ctx.args.self)
    front, behind = shape[: dims[0]], shape[dims[-1] + 1 :]
    values = _expanded(ctx, ctx.args.values, (*front, *picked, *behind))
    count = picked.numel()
    return ctx.call(
        NAME,
        input=ctx.args.self,
        indices=[ctx.view(_expanded(ctx, index, picked), (count,)) for index in indices],
        values=ctx.view(values, (*front, count, *behind)),
        dim=dims[0],
        accumulate=bool(ctx.args.accumulate),
        zero_point=_zero_point(ctx, ctx.args.accumulate),
    )


def _lower_scatter(ctx: Any) -> torch.fx.Node:
    """Each entry has an index along one axis; along the others it stays in its place."""
    _same_parameters(ctx, "self", "src")
    a = ctx.args
    rank = len(ctx.shape(a.self))
    shape = ctx.shape(a.index)
    if rank == 0 or shape != ctx.shape(a.src):
        ctx.reject("source and index differ in shape")
    places = [
        torch.arange(n, dtype=torch.int64)
        .reshape([-1 if d == axis else 1 for d in range(rank)])
        .expand(shape)
        .reshape(-1)
        for axis, n in enumerate(shape)
    ]
    indices = [ctx.constant(f"index{axis}", place) for axis, place in enumerate(places)]
    count = places[0].numel()
    indices[a.dim % rank] = ctx.view(a.index, (count,))
    adds = ctx.node.target._schema.name == "aten::scatter_add"
    return ctx.call(
        NAME,
        input=a.self,
        indices=indices,
        values=ctx.view(a.src, (count,)),
        dim=0,
        accumulate=adds,
        zero_point=_zero_point(ctx, adds),
    )


def _expanded(ctx: Any, node: torch.fx.Node, shape: tuple[int, ...]) -> torch.fx.Node:
    """By a call that late lowerings know."""
    if ctx.shape(node) == tuple(shape):
        return node
    return ctx.aten("expand_copy.default", node, list(shape), shape=shape, dtype=ctx.dtype(node))


def _zero_point(ctx: Any, accumulate: bool) -> int:
    return int(ctx.out.zero_point) if accumulate and ctx.info.output else 0


def _pattern(source: str, *targets: str) -> Pattern:
    return Pattern(targets=targets, activations=("self", source), output="shared")


PATTERNS = (_pattern("values", PUT), _pattern("src", *SCATTER))
LOWERINGS = (
    Lowering(targets=(PUT,), rewrite=_lower_put, needs_quantization=False),
    Lowering(targets=SCATTER, rewrite=_lower_scatter, needs_quantization=False),
)
PRESERVE = (PUT, *SCATTER)
