"""Relations of two numbers, int8 or of any other dtype; the contract is in ``comparison.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import broadcast, elementwise
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern

SCHEMA = (
    "(Tensor self, int self_zero_point, int self_multiplier, "
    "Tensor other, int other_zero_point, int other_multiplier, int relation) -> Tensor"
)
RELATIONS = {"lt": 1, "le": 3, "eq": 2, "ge": 6, "gt": 4, "ne": 13}
ONE = 1 << 30
"""Multiplier of the larger scale."""
STEP = 1 << 20
"""Multiplier of int8 steps that are compared with a number, which counts up to 1024 of them."""
TENSORS = tuple(f"aten.{name}.Tensor" for name in RELATIONS)
NUMBERS = tuple(f"aten.{name}.Scalar" for name in RELATIONS)


def reference(a: Args) -> torch.Tensor:
    x, y = a.self, a.other
    if x.dtype == torch.int8:
        x = (x.to(torch.int64) - a.self_zero_point) * a.self_multiplier
        y = (y.to(torch.int64) - a.other_zero_point) * a.other_multiplier
    outcome = torch.where(x < y, 0, torch.where(x == y, 1, torch.where(x > y, 2, 3)))
    return (a.relation >> outcome & 1).bool()


def _params(a: Args) -> dict[str, Any]:
    return {
        **elementwise.params(a),
        "self_multiplier": a.self_multiplier,
        "other_multiplier": a.other_multiplier,
        "self_zero_point": a.self_zero_point,
        "other_zero_point": a.other_zero_point,
        "relation": a.relation,
    }


def _numbers_fit(a: Args) -> bool:
    """int8 has parameters; anything else is compared as it is."""
    zero_points, multipliers = (
        (a.self_zero_point, a.other_zero_point),
        (a.self_multiplier, a.other_multiplier),
    )
    if a.self.dtype != torch.int8:
        return zero_points == (0, 0) and multipliers == (1, 1)
    return all(-128 <= z <= 127 for z in zero_points) and all(abs(m) <= ONE for m in multipliers)


CONSTRAINTS = (
    *elementwise.CONSTRAINTS,
    Constraint(
        "C3",
        "zero points are int8 and |multipliers| <= 2**30; 0 and 1 for other dtypes than int8",
        _numbers_fit,
    ),
    Constraint("C4", "relation is in 0..15", lambda a: 0 <= a.relation <= 15),
)


def _relation(ctx: Any) -> int:
    return RELATIONS[ctx.node.target._schema.name.removeprefix("aten::")]


def _lower_tensors(ctx: Any) -> torch.fx.Node:
    x, y = (ctx.info.inputs.get(name) for name in ("self", "other"))
    if (x is None) != (y is None):
        ctx.reject("only one of its operands is quantized")
    multipliers, zero_points = (1, 1), (0, 0)
    if x is not None and y is not None:
        widest = max(x.scale, y.scale)
        multipliers = round(x.scale / widest * ONE), round(y.scale / widest * ONE)
        zero_points = x.zero_point, y.zero_point
    return _call(ctx, ctx.args.other, zero_points, multipliers)


def _lower_number(ctx: Any) -> torch.fx.Node:
    number, dtype = ctx.args.other, ctx.dtype(ctx.args.self)
    if "self" in ctx.info.inputs:
        x = ctx.quant("self")
        steps = max(-ONE, min(ONE, round(number / x.scale * STEP)))
        one = ctx.constant("one", torch.ones((), dtype=torch.int8))
        return _call(ctx, one, (x.zero_point, 0), (STEP, steps))
    if not dtype.is_floating_point and number != int(number):
        ctx.reject(f"integers are compared with {number}")
    other = ctx.constant("other", torch.tensor(number, dtype=dtype))
    return _call(ctx, other, (0, 0), (1, 1))


def _call(
    ctx: Any, other: torch.fx.Node, zero_points: tuple[int, int], multipliers: tuple[int, int]
) -> torch.fx.Node:
    return ctx.call(
        OP.name,
        self=ctx.args.self,
        self_zero_point=zero_points[0],
        self_multiplier=multipliers[0],
        other=other,
        other_zero_point=zero_points[1],
        other_multiplier=multipliers[1],
        relation=_relation(ctx),
    )


OP = OpDef(
    name="comparison",
    schema=SCHEMA,
    summary="<, <=, ==, !=, >=, > of two numbers, any scales, any dtype, any broadcast",
    fake=lambda a: elementwise.fake(a).new_empty(elementwise.fake(a).shape, dtype=torch.bool),
    reference=reference,
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_comparison_int8",
            operands=("self", "other", "out"),
            accepts=lambda a: a.self.dtype == torch.int8,
            params=_params,
        ),
        Kernel("ct_comparison", operands=("self", "other", "out"), params=_params),
    ),
    patterns=(
        Pattern(targets=TENSORS, activations=("self", "other"), output="unquantized"),
        Pattern(targets=NUMBERS, activations=("self",), output="unquantized"),
    ),
    lowerings=(
        Lowering(targets=TENSORS, rewrite=_lower_tensors, needs_quantization=False),
        Lowering(targets=NUMBERS, rewrite=_lower_number, needs_quantization=False),
    ),
    permuted=lambda a, perm: broadcast.permuted(a.self, a.other, perm),
)
