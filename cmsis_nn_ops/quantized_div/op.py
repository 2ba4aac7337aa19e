"""int8 division of two tensors; the contract is in ``quantized_div.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import broadcast
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern

SCHEMA = (
    "(Tensor self, int self_zero_point, Tensor other, int other_zero_point, "
    "int output_zero_point, float output_scale) -> Tensor"
)
SCALE_MIN, SCALE_MAX = 2.0**-100, 2.0**100
"""Within these no product is subnormal or infinite."""


def _quotient(a: Args, dtype: torch.dtype) -> torch.Tensor:
    dividend = (a.self.to(torch.int32) - a.self_zero_point).to(dtype)
    divisor = (a.other.to(torch.int32) - a.other_zero_point).to(dtype)
    return torch.where(divisor == 0, 0.0, dividend / divisor)


def reference(a: Args) -> torch.Tensor:
    scaled = _quotient(a, torch.float32) * torch.tensor(a.output_scale, dtype=torch.float32)
    return (scaled.round().double() + a.output_zero_point).clamp(-128, 127).to(torch.int8)


def ideal(a: Args) -> torch.Tensor:
    return (_quotient(a, torch.float64) * a.output_scale + a.output_zero_point).clamp(-128, 127)


CONSTRAINTS = (
    Constraint("C1", "self, other are int8", lambda a: a.self.dtype == a.other.dtype == torch.int8),
    Constraint(
        "C2",
        "the shapes broadcast, none is empty, and they alternate at most six times",
        lambda a: broadcast.broadcasts(a.self, a.other),
    ),
    Constraint(
        "C3",
        "zero points are int8",
        lambda a: all(
            -128 <= z <= 127 for z in (a.self_zero_point, a.other_zero_point, a.output_zero_point)
        ),
    ),
    Constraint(
        "C4",
        "output_scale is in 2**-100..2**100",
        lambda a: SCALE_MIN <= a.output_scale <= SCALE_MAX,
    ),
)


def _params(a: Args) -> dict[str, Any]:
    shape = broadcast.broadcast(a.self.shape, a.other.shape)
    return {
        "sizes": shape.sizes,
        "output_scale": a.output_scale,
        "self_zero_point": a.self_zero_point,
        "other_zero_point": a.other_zero_point,
        "output_zero_point": a.output_zero_point,
        "self_repeats": shape.self_repeats,
        "other_repeats": shape.other_repeats,
    }


def _lower(ctx: Any) -> torch.fx.Node:
    x, y, out = ctx.quant("self"), ctx.quant("other"), ctx.out
    return ctx.call(
        OP.name,
        self=ctx.args.self,
        self_zero_point=x.zero_point,
        other=ctx.args.other,
        other_zero_point=y.zero_point,
        output_zero_point=out.zero_point,
        output_scale=x.scale / (y.scale * out.scale),
    )


OP = OpDef(
    name="quantized_div",
    schema=SCHEMA,
    summary="Division, any broadcast",
    fake=lambda a: a.self.new_empty(torch.broadcast_shapes(a.self.shape, a.other.shape)),
    reference=reference,
    ideal=ideal,
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_quantized_div",
            operands=("self", "other", "out"),
            params=_params,
            in_place=("self", "other"),
        ),
    ),
    patterns=(Pattern(targets=("aten.div.Tensor",), activations=("self", "other")),),
    lowerings=(Lowering(targets=("aten.div.Tensor",), rewrite=_lower),),
    permuted=lambda a, perm: broadcast.permuted(a.self, a.other, perm),
)
