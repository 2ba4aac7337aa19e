"""Softmax in fixed point, as CMSIS-NN has it (from gemmlowp).

Qm.n is a 32-bit number with n fractional bits; tensors hold them as int64. The C twins are in
``support/ct_softmax_line.c``.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from cmsis_nn_ops import axis
from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.fixed_point import INT32_MAX, divide_by_power_of_two, doubling_high_mult
from cmsis_nn_ops.op_def import Args, Constraint, FixedQParams

OUTPUT = FixedQParams(1 / 256, -128)
INPUT_FRACTION_BITS = 26
"""Differences to the maximum are Q5.26."""
INPUT_LIMIT = 31 << INPUT_FRACTION_BITS
"""Differences of more than 31 count as minus infinity."""
SUM_INTEGER_BITS = 12
LENGTH_MAX = 4095
"""Sums of exponentials are Q12.19; this many ones fit."""

EXP_MINUS_EIGHTH = 1895147668
ONE_THIRD = 715827883
EXP_OF_BITS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
"""exp(-2**k) for k = -2..4, in Q0.31: what each bit of the argument from 2**-2 on contributes."""


def exp_of_fraction(x: torch.Tensor) -> torch.Tensor:
    """exp(x) for x in [-1/4, 0), both Q0.31: the Taylor series of fourth order around -1/8."""
    x = x + (1 << 28)
    x2 = doubling_high_mult(x, x)
    x3 = doubling_high_mult(x2, x)
    x4_4 = divide_by_power_of_two(doubling_high_mult(x2, x2), 2)
    # x^2/2 + x^3/6 + x^4/24
    tail = divide_by_power_of_two(doubling_high_mult(x4_4 + x3, ONE_THIRD) + x2, 1)
    return EXP_MINUS_EIGHTH + doubling_high_mult(x + tail, EXP_MINUS_EIGHTH)


def exp_negative(x: torch.Tensor) -> torch.Tensor:
    """exp(x) as Q0.31 for x <= 0 as Q5.26."""
    fraction = (x & ((1 << 24) - 1)) - (1 << 24)
    quarters = (fraction - x) >> 24
    result = exp_of_fraction(fraction << 5)
    for bit, factor in enumerate(EXP_OF_BITS):
        applies = ((quarters >> bit) & 1).bool()
        result = torch.where(applies, doubling_high_mult(result, factor), result)
    return torch.where(x == 0, INT32_MAX, result)


def reciprocal_of_one_plus(x: torch.Tensor) -> torch.Tensor:
    """1 / (1 + x) for x in [0, 1), both Q0.31: Newton-Raphson in Q2.29 for 2 / (1 + x)."""
    half = (x >> 1) + (1 << 30)
    y = 1515870810 + doubling_high_mult(half, -1010580540)  # 48/17 - 32/17 * half
    for _ in range(3):
        error = (1 << 29) - doubling_high_mult(half, y)
        y = y + 4 * doubling_high_mult(y, error)
    return (2 * y).clamp(max=INT32_MAX)


def leading_zeros(x: torch.Tensor) -> torch.Tensor:
    """Leading zero bits of positive int32 values."""
    return 31 - torch.log2(x.double()).floor().to(torch.int64)


def softmax(a: Args, excluded: torch.Tensor | None = None) -> torch.Tensor:
    """``ct_softmax_line`` along axis ``dim`` of the input."""
    x = a.input.to(torch.int64)
    counts = torch.ones_like(x, dtype=torch.bool) if excluded is None else ~excluded.expand(x.shape)
    some = counts.any(a.dim, keepdim=True)
    diff = x - torch.where(counts, x, -129).amax(a.dim, keepdim=True)
    near = counts & (diff >= a.diff_min)
    scaled = torch.where(near, diff, 0) << a.input_shift
    exp = exp_negative(doubling_high_mult(scaled, a.input_multiplier))
    exp = torch.where(near, exp, 0)
    total = divide_by_power_of_two(exp, SUM_INTEGER_BITS).sum(a.dim, keepdim=True)
    zeros = leading_zeros(torch.where(some, total, 1))
    reciprocal = reciprocal_of_one_plus((total << zeros) - 2**31)
    y = divide_by_power_of_two(doubling_high_mult(exp, reciprocal), 35 - zeros)
    return fp.saturate_int8(torch.where(some, y, 0) + OUTPUT.zero_point)


def ideal(a: Args, excluded: torch.Tensor | None = None) -> torch.Tensor:
    scale = a.input_multiplier * 2.0 ** (a.input_shift - 31 - INPUT_FRACTION_BITS)
    x = a.input.double() * scale
    if excluded is not None:
        x = x.masked_fill(excluded, -math.inf)
    y = torch.softmax(x, a.dim).nan_to_num(0.0)
    return (y / OUTPUT.scale + OUTPUT.zero_point).clamp(-128, 127)


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


def params(a: Args) -> dict[str, Any]:
    """Fields of ``ct_softmax_scale``."""
    return {
        "multiplier": a.input_multiplier,
        "shift": a.input_shift,
        "diff_min": max(a.diff_min, -256),
    }


def arguments(ctx: Any) -> dict[str, Any]:
    """What every softmax of the dialect takes, besides its tensors and ``dim``."""
    source = ctx.quant("self")
    if (ctx.out.scale, ctx.out.zero_point) != (OUTPUT.scale, OUTPUT.zero_point):
        ctx.reject(f"its output needs scale 1/256 and zero point -128, not {ctx.out}")
    multiplier, shift, diff_min = quantized_scale(float(source.scale))
    return {
        "input_zero_point": source.zero_point,
        "output_zero_point": OUTPUT.zero_point,
        "input_multiplier": multiplier,
        "input_shift": shift,
        "diff_min": diff_min,
    }
