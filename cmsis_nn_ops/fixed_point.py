"""The Python model of CMSIS-NN's fixed-point arithmetic, used by every reference and lowering.

All functions take and return torch integer tensors (int64 inside); results are exact, and equal bit
for bit to the C helpers of ``support/ct_requantize.h`` and ``support/ct_inverse_sqrt.h``.
"""

from __future__ import annotations

import math

import torch

INT32_MAX = 2**31 - 1


def quantize_multiplier(real: float) -> tuple[int, int]:
    """``real ~ multiplier / 2**31 * 2**shift`` with multiplier in [2**30, 2**31), shift in [-31,
    30].

    Factors below 2**-32 become (0, 0). Raises ValueError for negative, non-finite or too large
    ones.
    """
    if not math.isfinite(real) or real < 0:
        raise ValueError(f"requantization factor {real} is not a finite non-negative number")
    if real == 0:
        return 0, 0
    mantissa, shift = math.frexp(real)
    multiplier = round(mantissa * 2**31)
    if multiplier == 2**31:
        multiplier, shift = 2**30, shift + 1
    if shift < -31:
        return 0, 0
    if shift > 30:
        raise ValueError(f"requantization factor {real} exceeds 2**30")
    return multiplier, shift


def wrap_int32(x: torch.Tensor) -> torch.Tensor:
    """Two's-complement wrap of int64 values to the int32 range, as C arithmetic on uint32_t."""
    return ((x + 2**31) & 0xFFFFFFFF) - 2**31


def doubling_high_mult(a: torch.Tensor, b: torch.Tensor | int) -> torch.Tensor:
    """``round_half_up(a * b / 2**31)``; ``arm_nn_doubling_high_mult_no_sat``."""
    return (a.to(torch.int64) * b + (1 << 30)) >> 31


def divide_by_power_of_two(x: torch.Tensor, exponent: torch.Tensor | int) -> torch.Tensor:
    """``x / 2**exponent`` rounded to nearest, ties away from zero;
    ``arm_nn_divide_by_power_of_two``."""
    x = x.to(torch.int64)
    exponent = torch.as_tensor(exponent, dtype=torch.int64)
    mask = (torch.ones_like(exponent) << exponent) - 1
    threshold = (mask >> 1) + (x < 0)
    return (x >> exponent) + ((x & mask) > threshold)


def divide(x: torch.Tensor, divisor: torch.Tensor | int) -> torch.Tensor:
    """``x / divisor`` rounded to nearest, ties away from zero; the divisor is positive."""
    return x.sign() * ((x.abs() + divisor // 2) // divisor)


def requantize(
    x: torch.Tensor, multiplier: torch.Tensor | int, shift: torch.Tensor | int
) -> torch.Tensor:
    """``arm_nn_requantize``: left shift (wrapping), doubling high multiply, rounding right shift.

    Args:
        x: int32 accumulators, any shape.
        multiplier, shift: scalars, or int32 tensors that broadcast against x (per channel).
    Returns int64 values in the int32 range.
    """
    multiplier = torch.as_tensor(multiplier, dtype=torch.int64)
    shift = torch.as_tensor(shift, dtype=torch.int64)
    shifted = wrap_int32(x.to(torch.int64) << shift.clamp(min=0))
    return divide_by_power_of_two(doubling_high_mult(shifted, multiplier), (-shift).clamp(min=0))


def inverse_sqrt(x: torch.Tensor, bits: int) -> tuple[torch.Tensor, torch.Tensor]:
    """``2**bits / sqrt(x)`` to 24 bits as (multiplier, shift), for x in 0..2**63-1; 0 for x = 0.

    ``ct_inverse_sqrt.h`` has the algorithm: x is f * 4**exponent with f in [1/4, 1) as Q0.32, and
    1 / sqrt(f) in Q2.30 comes from a line and three steps of Newton's method.
    """
    exponent = torch.ones_like(x)
    for power in range(1, 32):
        exponent += x >> (2 * power) != 0
    f = (x << (32 - 2 * exponent).clamp(min=0)) >> (2 * exponent - 32).clamp(min=0)
    y = 2281701376 - (f * 1288490189 >> 32)
    for _ in range(3):
        ratio = f * (y * y >> 32) >> 32
        y = y * ((3 << 28) - ratio) >> 29
    multiplier = torch.where(x == 0, 0, y.clamp(max=INT32_MAX))
    return multiplier, torch.where(x == 0, 0, bits + 1 - exponent)


def saturate_int8(x: torch.Tensor, low: int = -128, high: int = 127) -> torch.Tensor:
    return x.clamp(low, high).to(torch.int8)


def quantize_bound(value: float | None, scale: float, zero_point: int, default: int) -> int:
    """A float activation bound as an int8 value; ``default`` where there is none. Rounds half to
    even, saturates."""
    if value is None or math.isinf(value):
        return default
    return max(-128, min(127, round(value / scale) + zero_point))


def accumulators_fit(weight: torch.Tensor, bias: torch.Tensor | None) -> bool:
    """Whether ``bias[o] + sum((x + offset) * weight[o])`` and all its partial sums stay in int32
    for every int8 x.

    Args:
        weight: int8 [outputs, inputs].
        bias: int32 [outputs], or None.

    |x + offset| <= 255; 256 leaves the kernels free to add the offset's share first.
    """
    largest = weight.to(torch.int64).abs().sum(dim=1) * 256
    if bias is not None:
        largest = largest + bias.to(torch.int64).abs()
    return int(largest.max()) <= INT32_MAX
