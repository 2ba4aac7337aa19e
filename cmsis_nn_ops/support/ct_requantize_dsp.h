/* ct_requantize for factors below 1/2, in four instructions, with the DSP extension.
 *
 * With r = round_half_up(x * multiplier / 2^31), the result is r / 2^(shift + 1) to nearest, ties away from
 * zero, plus an offset, saturated to int8. SMMLAR computes r, plus what the second rounding and the offset
 * add; a negative x gets one less, which turns its ties away from zero. (Where x is negative but r is 0, that
 * does not matter.)
 */
#ifndef CT_REQUANTIZE_DSP_H
#define CT_REQUANTIZE_DSP_H

#include "ct_requantize.h"
#include <stdint.h>

/* (a * b + c * 2^32 + 2^31) / 2^32, rounded down. Compilers have no intrinsic for it. */
static inline int32_t ct_smmlar(int32_t a, int32_t b, int32_t c)
{
    int32_t d;
    __asm__("smmlar %0, %1, %2, %3" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

/* What the second rounding and the offset add: (offset + 1/2) * 2^(shift + 1). It, and its sum with r, fit
 * int32. */
static inline int32_t ct_rounding_dsp(int32_t offset, int32_t shift)
{
    return (int32_t)((2u * (uint32_t)offset + 1u) << shift);
}

/* Takes x twice, so that SMMLAR's 2^-32 becomes 2^-31. shift is 0..30. */
static inline int8_t ct_requantize_dsp(int32_t twice_x, int32_t multiplier, int32_t rounding, int32_t shift)
{
    const int32_t rounded = ct_smmlar(twice_x, multiplier, rounding + (twice_x >> 31));
    return (int8_t)ct_clamp(rounded >> shift >> 1, INT8_MIN, INT8_MAX); /* SSAT with a shift */
}

#endif
