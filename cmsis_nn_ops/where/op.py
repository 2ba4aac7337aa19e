"""Entries of one of two tensors, any dtype; the contract is in ``where.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import broadcast, elementwise
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern

TARGET = "aten.where.self"


def fake(a: Args) -> torch.Tensor:
    shapes = (x.shape for x in (a.condition, a.self, a.other))
    return a.self.new_empty(torch.broadcast_shapes(*shapes))


def _params(a: Args) -> dict[str, Any]:
    shape = broadcast.broadcast3(a.condition.shape, a.self.shape, a.other.shape)
    return {
        "sizes": shape.sizes,
        "entry_bytes": a.self.dtype.itemsize,
        "condition_repeats": shape.first_repeats,
        "self_repeats": shape.second_repeats,
        "other_repeats": shape.third_repeats,
    }


def _broadcasts(a: Args) -> bool:
    try:
        _params(a)
    except ValueError:
        return False
    return all(x.numel() > 0 for x in (a.condition, a.self, a.other))


CONSTRAINTS = (
    Constraint("C1", "condition is bool", lambda a: a.condition.dtype == torch.bool),
    Constraint(
        "C2",
        "self and other have the same dtype, of 1, 4 or 8 bytes",
        lambda a: a.self.dtype == a.other.dtype and a.self.dtype.itemsize in (1, 4, 8),
    ),
    Constraint(
        "C3",
        "the shapes broadcast, none is empty, and they alternate at most six times",
        _broadcasts,
    ),
)


def _lower(ctx: Any) -> torch.fx.Node:
    self, other = elementwise.operands(ctx)
    return ctx.call(OP.name, condition=ctx.args.condition, self=self, other=other)


OP = OpDef(
    name="where",
    schema="(Tensor condition, Tensor self, Tensor other) -> Tensor",
    summary="Entries of one of two tensors by truth values, masked_fill, any dtype, any broadcast",
    fake=fake,
    reference=lambda a: torch.where(a.condition, a.self, a.other),
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_where",
            operands=("condition", "self", "other", "out"),
            params=_params,
            in_place=("self", "other"),
        ),
    ),
    patterns=(Pattern(targets=(TARGET,), activations=("self", "other"), output="shared"),),
    lowerings=(Lowering(targets=(TARGET,), rewrite=_lower, needs_quantization=False),),
    permuted=lambda a, perm: broadcast.all_permuted((a.condition, a.self, a.other), perm),
)
