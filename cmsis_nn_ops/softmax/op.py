"""int8 softmax along any axis; the contract is in ``softmax.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import axis, softmax_arithmetic
from cmsis_nn_ops.op_def import Args, Kernel, Lowering, OpDef, Pattern

SCHEMA = (
    "(Tensor input, int dim, int input_zero_point, int output_zero_point, int input_multiplier, "
    "int input_shift, int diff_min) -> Tensor"
)


def _params(a: Args) -> dict[str, Any]:
    outer, length, inner = axis.split(a.input.shape, a.dim)
    return {
        "outer": outer,
        "inner": inner,
        "length": length,
        **softmax_arithmetic.params(a),
    }


def _lower(ctx: Any) -> torch.fx.Node:
    if ctx.args.half_to_float:
        ctx.reject("half precision has no kernel")
    arguments = softmax_arithmetic.arguments(ctx)
    return ctx.call(OP.name, input=ctx.args.input, dim=ctx.args.dim, **arguments)


OP = OpDef(
    name="softmax",
    schema=SCHEMA,
    summary="softmax along any axis of up to 4095 entries",
    fake=lambda a: a.input.new_empty(a.input.shape),
    reference=softmax_arithmetic.softmax,
    ideal=softmax_arithmetic.ideal,
    constraints=softmax_arithmetic.CONSTRAINTS,
    kernels=(Kernel("ct_softmax", operands=("input", "out"), params=_params, in_place=("input",)),),
    patterns=(
        Pattern(
            targets=("aten.softmax.int", "aten._softmax.default"),
            activations=("self",),
            output=softmax_arithmetic.OUTPUT,
        ),
    ),
    lowerings=(Lowering(targets=("aten._softmax.default",), rewrite=_lower),),
    permuted=lambda a, perm: {"dim": axis.moved(a.dim, perm)},
)
