"""What ATen calls picking entries: by an index that is given, or by one that the call implies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from cmsis_nn_ops.op_def import Args, Lowering, Pattern

NAME = "gather"

UPSAMPLING = tuple(
    f"aten.{kind}{dims}d.vec"
    for kind in ("upsample_nearest", "_upsample_nearest_exact")
    for dims in (1, 2, 3)
)
PADDING = tuple(
    f"aten.{kind}_pad{dims}d.default"
    for kind in ("reflection", "replication")
    for dims in (1, 2, 3)
)
REPEATING = ("aten.repeat.default", "aten.flip.default", "aten.roll.default")


def _check(ctx: Any, name: str) -> None:
    if ctx.info.output and not ctx.quant(name).same(ctx.out):
        ctx.reject("input and output have different quantization parameters")


def _pick(ctx: Any, source: torch.fx.Node, dim: int, index: torch.fx.Node) -> torch.fx.Node:
    """Along one axis, by an index of any shape; the entries are in its order."""
    data = ctx.constant_data(index)
    if data is not None:
        index = ctx.constant("index", data.to(torch.int32))
    shape = [1] * len(ctx.shape(source))
    shape[dim] = index.meta["val"].numel()
    return ctx.call(NAME, input=source, dim=dim, index=ctx.view(index, shape))


def _lower_index_select(ctx: Any) -> torch.fx.Node:
    _check(ctx, "self")
    a = ctx.args
    return ctx.view(_pick(ctx, a.self, a.dim, a.index), ctx.shape(ctx.node))


def _lower_embedding(ctx: Any) -> torch.fx.Node:
    _check(ctx, "weight")
    return ctx.view(_pick(ctx, ctx.args.weight, 0, ctx.args.indices), ctx.shape(ctx.node))


def _lower_gather(ctx: Any) -> torch.fx.Node:
    _check(ctx, "self")
    return ctx.call(NAME, input=ctx.args.self, dim=ctx.args.dim, index=ctx.args.index)


def _lower_index(ctx: Any) -> torch.fx.Node:
    """``x[:, index]``."""
    _check(ctx, "self")
    given = [(dim, index) for dim, index in enumerate(ctx.args.indices) if index is not None]
    if len(given) != 1:
        ctx.reject("there are indices for several axes")
    ((dim, index),) = given
    if ctx.dtype(index) not in (torch.int32, torch.int64):
        ctx.reject(f"an index of {ctx.dtype(index)} picks a number of entries that depends on data")
    return ctx.view(_pick(ctx, ctx.args.self, dim, index), ctx.shape(ctx.node))


def _lower_separable(ctx: Any) -> torch.fx.Node:
    """Calls that move entries along each axis for itself: the index is what they make of a ramp."""
    _check(ctx, "input" if "input" in ctx.info.inputs else "self")
    source = ctx.args.input
    rank = len(ctx.shape(ctx.node))
    shape = [1] * (rank - len(ctx.shape(source))) + list(ctx.shape(source))
    source = ctx.view(source, shape)
    for dim, index in _implied(ctx, shape):
        source = _pick(ctx, source, dim, ctx.constant("index", index))
    return source


def _implied(ctx: Any, shape: list[int]) -> Iterator[tuple[int, torch.Tensor]]:
    """(axis, index) wherever something moves; the last axis first, as rows are copied faster."""
    first = ctx.node.target._schema.arguments[0].name
    others = {k: v for k, v in vars(ctx.args).items() if k not in (first, "input")}
    for dim in reversed(range(len(shape))):
        line = torch.arange(shape[dim], dtype=torch.float32)
        ramp = line.reshape([-1 if d == dim else 1 for d in range(len(shape))]).expand(shape)
        moved = ctx.node.target(ramp.contiguous(), **others)
        index = moved[tuple(slice(None) if d == dim else 0 for d in range(len(shape)))]
        if not torch.equal(index, line):
            yield dim, index.to(torch.int32)


def _other_padding(a: Args) -> str | None:
    known = a.mode in ("reflect", "replicate")
    return None if known else f"padding mode {a.mode!r} does not repeat entries"


def _pattern(*targets: str, source: str = "self", **options: Any) -> Pattern:
    return Pattern(targets=targets, activations=(source,), output="shared", **options)


def _lowering(rewrite: Any, *targets: str, **options: Any) -> Lowering:
    return Lowering(targets=targets, rewrite=rewrite, needs_quantization=False, **options)


PATTERNS = (
    _pattern("aten.index_select.default", "aten.gather.default", "aten.index.Tensor", *REPEATING),
    _pattern("aten.embedding.default", source="weight"),
    _pattern(*UPSAMPLING, source="input"),
    _pattern("aten.pad.default", rejects=_other_padding),
)
LOWERINGS = (
    _lowering(_lower_index_select, "aten.index_select.default"),
    _lowering(_lower_gather, "aten.gather.default"),
    _lowering(_lower_embedding, "aten.embedding.default"),
    _lowering(_lower_index, "aten.index.Tensor"),
    _lowering(_lower_separable, *REPEATING, *UPSAMPLING, *PADDING),
    _lowering(_lower_separable, "aten.expand_copy.default", late=True),
)
PRESERVE = (
    *UPSAMPLING,
    *PADDING,
    *REPEATING,
    "aten.embedding.default",
    "aten.index_select.default",
)
