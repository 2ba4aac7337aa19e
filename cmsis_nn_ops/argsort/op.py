"""Indices of entries by their size, any dtype; the contract is in ``argsort.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import axis, ordering
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern

EXTREMA = ("aten.argmax.default", "aten.argmin.default")
FUNCTION = "cortorch.sorted_indices.default"
"""What sorting, medians and their like have become in captured graphs."""


def fake(a: Args) -> torch.Tensor:
    shape = list(a.input.shape)
    shape[a.dim] = a.count
    return a.input.new_empty(shape, dtype=torch.int64)


def reference(a: Args) -> torch.Tensor:
    order = torch.sort(a.input, dim=a.dim, descending=a.descending, stable=True).indices
    return order.narrow(a.dim, a.first, a.count)


def _params(a: Args) -> dict[str, Any]:
    outer, length, inner = axis.split(a.input.shape, a.dim)
    return {
        "outer": outer,
        "length": length,
        "inner": inner,
        "first": a.first,
        "count": a.count,
        "kind": ordering.KINDS[a.input.dtype],
        "descending": int(a.descending),
    }


CONSTRAINTS = (
    Constraint("C1", "input has the axis dim", lambda a: axis.has(a.input.shape, a.dim)),
    Constraint(
        "C2",
        "input is int8, uint8, bool, int32, int64 or float32, and not empty",
        lambda a: a.input.dtype in ordering.KINDS and a.input.numel() > 0,
    ),
    Constraint(
        "C3",
        "0 <= first < first + count <= size of the axis",
        lambda a: 0 <= a.first < a.first + a.count <= a.input.shape[a.dim],
    ),
)


def _lower(ctx: Any) -> torch.fx.Node:
    a = ctx.args
    source = a.input if ctx.shape(a.input) else ctx.view(a.input, (1,))
    y = ctx.call(
        OP.name,
        input=source,
        dim=a.dim,
        descending=a.descending,
        first=a.first,
        count=a.count,
    )
    return ctx.view(y, ctx.shape(ctx.node))


def _lower_extremum(ctx: Any) -> torch.fx.Node:
    """Without a dimension all of them are one."""
    a = ctx.args
    flat = a.dim is None or not ctx.shape(a.input)
    source = ctx.view(a.input, (a.input.meta["val"].numel(),)) if flat else a.input
    largest = ctx.node.target._schema.name == "aten::argmax"
    y = ctx.call(
        OP.name,
        input=source,
        dim=0 if flat else a.dim,
        descending=largest,
        first=0,
        count=1,
    )
    return ctx.view(y, ctx.shape(ctx.node))


OP = OpDef(
    name="argsort",
    schema="(Tensor input, int dim, bool descending, int first, int count) -> Tensor",
    summary="Indices of the largest, the smallest, the median and of sorted entries, any dtype",
    fake=fake,
    reference=reference,
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_argsort_first",
            operands=("input", "out"),
            accepts=lambda a: a.first == 0 and a.count == 1,
            params=_params,
        ),
        Kernel("ct_argsort", operands=("input", "out"), params=_params),
    ),
    patterns=(Pattern(targets=(*EXTREMA, FUNCTION), activations=("self",), output="unquantized"),),
    lowerings=(
        Lowering(targets=EXTREMA, rewrite=_lower_extremum, needs_quantization=False),
        Lowering(targets=(FUNCTION,), rewrite=_lower, needs_quantization=False),
    ),
    preserve=EXTREMA,
    permuted=lambda a, perm: {"dim": axis.moved(a.dim, perm)},
)
