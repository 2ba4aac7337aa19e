"""Numbers of one dtype as those of another; the contract is in ``cast.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import ordering
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef

COPIES = ("aten._to_copy.default", "dim_order_ops._to_dim_order_copy.default")


def reference(a: Args) -> torch.Tensor:
    if not a.input.is_floating_point() or a.dtype in (torch.bool, torch.float32):
        return a.input.to(a.dtype)
    limits = torch.iinfo(a.dtype)
    whole = a.input.double().trunc().nan_to_num(nan=0.0)
    inside = whole.clamp(limits.min, limits.max).to(torch.int64)
    # The largest int64 is no double: what reaches it was converted to the lowest.
    return torch.where(whole >= limits.max, limits.max, inside).to(a.dtype)


CONSTRAINTS = (
    Constraint(
        "C1",
        "input is int8, uint8, bool, int32, int64 or float32",
        lambda a: a.input.dtype in ordering.KINDS,
    ),
    Constraint(
        "C2",
        "dtype is another one of them",
        lambda a: a.dtype in ordering.KINDS and a.dtype != a.input.dtype,
    ),
)


def _lower(ctx: Any) -> torch.fx.Node:
    """Layout is in the graph, so a copy is nothing but a cast."""
    source, dtype = ctx.args.self, ctx.dtype(ctx.node)
    if ctx.info.inputs:
        ctx.decline()
    return source if ctx.dtype(source) == dtype else ctx.call(OP.name, input=source, dtype=dtype)


OP = OpDef(
    name="cast",
    schema="(Tensor input, ScalarType dtype) -> Tensor",
    summary="Conversion between integers, truth values and float32",
    fake=lambda a: a.input.new_empty(a.input.shape, dtype=a.dtype),
    reference=reference,
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_cast",
            operands=("input", "out"),
            params=lambda a: {
                "elements": a.input.numel(),
                "from": ordering.KINDS[a.input.dtype],
                "to": ordering.KINDS[a.dtype],
                "to_bool": int(a.dtype == torch.bool),
            },
        ),
    ),
    lowerings=(Lowering(targets=COPIES, rewrite=_lower, needs_quantization=False),),
    permuted=lambda a, perm: {},
)
