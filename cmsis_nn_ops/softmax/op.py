"""int8 softmax along any axis; the contract is in ``softmax.h``."""

from __future__ import annotations

import math
from typing import Any

import torch

from cmsis_nn_ops import axis
from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, FixedQParams, Kernel, Lowering, OpDef, Pattern
from cmsis_nn_ops.softmax import arithmetic

SCHEMA = (
    "(Tensor input, int dim, int input_zero_point, int output_zero_point, int input_multiplier, "
    "int input_shift, int diff_min) -> Tensor"
)
OUTPUT = FixedQParams(1 / 256, -128)
INPUT_FRACTION_BITS = 26
"""Differences to the maximum are Q5.26."""
INPUT_LIMIT = 31 << INPUT_FRACTION_BITS
"""Differences of more than 31 count as minus infinity."""
SUM_INTEGER_BITS = 12
LENGTH_MAX = 4095
"""Sums of exponentials are Q12.19; this many ones fit."""


def reference(a: Args) -> torch.Tensor:
    x = a.input.to(torch.int64)
    diff = x - x.amax(a.dim, keepdim=True)
    near = diff >= a.diff_min
    scaled = torch.where(near, diff, 0) << a.input_shift
    exp = arithmetic.exp_negative(fp.doubling_high_mult(scaled, a.input_multiplier))
    exp = torch.where(near, exp, 0)
    total = fp.divide_by_power_of_two(exp, SUM_INTEGER_BITS).sum(a.dim, keepdim=True)
    zeros = arithmetic.leading_zeros(total)
    reciprocal = arithmetic.reciprocal_of_one_plus((total << zeros) - 2**31)
    y = fp.divide_by_power_of_two(fp.doubling_high_mult(exp, reciprocal), 35 - zeros)
    return fp.saturate_int8(y + OUTPUT.zero_point)


def ideal(a: Args) -> torch.Tensor:
    scale = a.input_multiplier * 2.0 ** (a.input_shift - 31 - INPUT_FRACTION_BITS)
    y = torch.softmax(a.input.double() * scale, a.dim)
    return (y / OUTPUT.scale + OUTPUT.zero_point).clamp(-128, 127)


def _params(a: Args) -> dict[str, Any]:
    outer, length, inner = axis.split(a.input.shape, a.dim)
    return {
        "outer": outer,
        "inner": inner,
        "length": length,
        "multiplier": a.input_multiplier,
        "shift": a.input_shift,
        "diff_min": max(a.diff_min, -256),
    }


CONSTRAINTS = (
    Constraint(
        "C1",
        "input is int8 and has the axis dim",
        lambda a: a.input.dtype == torch.int8 and axis.has(a.input.shape, a.dim),
    ),
    Constraint(
        "C2", "the axis has 1..4095 entries", lambda a: 1 <= a.input.shape[a.dim] <= LENGTH_MAX
    ),
    Constraint(
        "C3", "output_zero_point is -128", lambda a: a.output_zero_point == OUTPUT.zero_point
    ),
    Constraint(
        "C4",
        "input_multiplier is in 2**30..2**31-1, input_shift in 0..31",
        lambda a: 2**30 <= a.input_multiplier <= fp.INT32_MAX and 0 <= a.input_shift <= 31,
    ),
    Constraint(
        "C5",
        "diff_min is not positive, and at most 31 in Q5.26 when shifted",
        lambda a: 0 <= -a.diff_min << a.input_shift <= INPUT_LIMIT,
    ),
)


def quantized_scale(scale: float) -> tuple[int, int, int]:
    """(input_multiplier, input_shift, diff_min) for an input scale.

    Scales below 2**-26 or above 15.9 act as these bounds: then all inputs are alike, or all but the
    largest vanish.
    """
    real = min(max(math.ldexp(scale, INPUT_FRACTION_BITS), 1.0), 2.0**30 - 1)
    multiplier, shift = fp.quantize_multiplier(real)
    return multiplier, shift, -(INPUT_LIMIT >> shift)


def _lower(ctx: Any) -> torch.fx.Node:
    source = ctx.quant("self")
    if ctx.args.half_to_float:
        ctx.reject("half precision has no kernel")
    if (ctx.out.scale, ctx.out.zero_point) != (OUTPUT.scale, OUTPUT.zero_point):
        ctx.reject(f"its output needs scale 1/256 and zero point -128, not {ctx.out}")
    multiplier, shift, diff_min = quantized_scale(float(source.scale))
    return ctx.call(
        OP.name,
        input=ctx.args.input,
        dim=ctx.args.dim,
        input_zero_point=source.zero_point,
        output_zero_point=OUTPUT.zero_point,
        input_multiplier=multiplier,
        input_shift=shift,
        diff_min=diff_min,
    )


OP = OpDef(
    name="softmax",
    schema=SCHEMA,
    summary="softmax along any axis of up to 4095 entries",
    fake=lambda a: a.input.new_empty(a.input.shape),
    reference=reference,
    ideal=ideal,
    constraints=CONSTRAINTS,
    kernels=(Kernel("ct_softmax", operands=("input", "out"), params=_params, in_place=("input",)),),
    patterns=(
        Pattern(
            targets=("aten.softmax.int", "aten._softmax.default"),
            activations=("self",),
            output=OUTPUT,
        ),
    ),
    lowerings=(Lowering(targets=("aten._softmax.default",), rewrite=_lower),),
    permuted=lambda a, perm: {"dim": axis.moved(a.dim, perm)},
)
