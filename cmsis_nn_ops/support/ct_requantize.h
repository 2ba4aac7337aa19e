/* Fixed-point arithmetic of the int8 kernels; the Python twin is cmsis_nn_ops/fixed_point.py. */
#ifndef CT_REQUANTIZE_H
#define CT_REQUANTIZE_H

#include <stddef.h>
#include <stdint.h>

/* round_half_up(a * b / 2^31). (a, b) = (INT32_MIN, INT32_MIN) does not occur: multipliers are never it. */
static inline int32_t ct_doubling_high_mult(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a * b + (1 << 30)) >> 31);
}

/* x / 2^exponent, to nearest, ties away from zero; exponent in [0, 31]. */
static inline int32_t ct_divide_by_power_of_two(int32_t x, int32_t exponent)
{
    const int32_t mask = (int32_t)((1u << exponent) - 1u);
    const int32_t threshold = (mask >> 1) + (x < 0);
    return (x >> exponent) + ((x & mask) > threshold);
}

/* x * multiplier / 2^31 * 2^shift; |multiplier| < 2^31 (negative ones only in sums), shift in [-31, 30]. */
static inline int32_t ct_requantize(int32_t x, int32_t multiplier, int32_t shift)
{
    const uint32_t left = shift > 0 ? (uint32_t)shift : 0u;
    const int32_t right = shift > 0 ? 0 : -shift;
    return ct_divide_by_power_of_two(ct_doubling_high_mult((int32_t)((uint32_t)x << left), multiplier),
                                     right);
}

/* x / divisor, to nearest, ties away from zero; divisor > 0, |x| + divisor / 2 < 2^31. */
static inline int32_t ct_divide(int32_t x, int32_t divisor)
{
    return (x < 0 ? x - divisor / 2 : x + divisor / 2) / divisor;
}

static inline int32_t ct_clamp(int32_t x, int32_t low, int32_t high)
{
    return x < low ? low : (x > high ? high : x);
}

#endif
