"""exp and reciprocal in fixed point, as CMSIS-NN's int8 softmax has them (from gemmlowp).

Qm.n is a 32-bit number with n fractional bits; tensors hold them as int64. The C twins are in
``softmax.c``.
"""

from __future__ import annotations

import torch

from cmsis_nn_ops.fixed_point import INT32_MAX, divide_by_power_of_two, doubling_high_mult

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
