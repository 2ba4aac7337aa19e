"""Functions of two truth values; the contract is in ``logical.h``."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from cmsis_nn_ops import broadcast
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef

TABLES = {
    **dict.fromkeys(("logical_and.default", "bitwise_and.Tensor", "mul.Tensor"), 0b1000),
    **dict.fromkeys(("logical_or.default", "bitwise_or.Tensor", "add.Tensor"), 0b1110),
    **dict.fromkeys(("logical_xor.default", "bitwise_xor.Tensor", "ne.Tensor"), 0b0110),
    "eq.Tensor": 0b1001,
    "lt.Tensor": 0b0010,
    "le.Tensor": 0b1011,
    "gt.Tensor": 0b0100,
    "ge.Tensor": 0b1101,
}
"""By ATen overload: bit 2 * self + other is the result."""

NOT = ("aten.logical_not.default", "aten.bitwise_not.default")


def reference(a: Args) -> torch.Tensor:
    return (a.truth_table >> (2 * a.self.to(torch.int64) + a.other.to(torch.int64)) & 1).bool()


def _params(a: Args) -> dict[str, Any]:
    shape = broadcast.broadcast(a.self.shape, a.other.shape)
    return {
        "sizes": shape.sizes,
        "truth_table": a.truth_table,
        "self_repeats": shape.self_repeats,
        "other_repeats": shape.other_repeats,
    }


CONSTRAINTS = (
    Constraint("C1", "self, other are bool", lambda a: a.self.dtype == a.other.dtype == torch.bool),
    Constraint(
        "C2",
        "the shapes broadcast, none is empty, and they alternate at most six times",
        lambda a: broadcast.broadcasts(a.self, a.other),
    ),
    Constraint("C3", "truth_table is in 0..15", lambda a: 0 <= a.truth_table <= 15),
)


def _lower(ctx: Any, truth_table: int) -> torch.fx.Node:
    operands = ctx.args.self, ctx.args.other
    if any(not isinstance(x, torch.fx.Node) or ctx.dtype(x) != torch.bool for x in operands):
        ctx.decline()
    return ctx.call(OP.name, self=operands[0], other=operands[1], truth_table=truth_table)


def _lower_not(ctx: Any) -> torch.fx.Node:
    if ctx.dtype(ctx.args.self) != torch.bool:
        ctx.decline()
    true = ctx.constant("true", torch.ones((), dtype=torch.bool))
    return ctx.call(OP.name, self=ctx.args.self, other=true, truth_table=0b0110)


OP = OpDef(
    name="logical",
    schema="(Tensor self, Tensor other, int truth_table) -> Tensor",
    summary="Functions of truth values: and, or, not, exclusive or, comparisons",
    fake=lambda a: a.self.new_empty(torch.broadcast_shapes(a.self.shape, a.other.shape)),
    reference=reference,
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_logical",
            operands=("self", "other", "out"),
            params=_params,
            in_place=("self", "other"),
        ),
    ),
    lowerings=(
        *(
            Lowering(
                targets=(f"aten.{name}",),
                rewrite=partial(_lower, truth_table=truth_table),
                needs_quantization=False,
                priority=2,
            )
            for name, truth_table in TABLES.items()
        ),
        Lowering(targets=NOT, rewrite=_lower_not, needs_quantization=False, priority=2),
    ),
    permuted=lambda a, perm: broadcast.permuted(a.self, a.other, perm),
)
