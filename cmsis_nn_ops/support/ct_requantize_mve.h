/* ct_requantize.h for vectors. Include it in Helium sources only. */
#ifndef CT_REQUANTIZE_MVE_H
#define CT_REQUANTIZE_MVE_H

#include <arm_mve.h>

/* ct_requantize of four sums of one channel, shift < 0. The rounding shift rounds ties up; one less where the
 * sum is negative makes that away from zero. */
static inline int32x4_t ct_requantize_mve(int32x4_t x, int32_t multiplier, int32_t shift)
{
    return vrshlq_n_s32(vqrdmlahq_n_s32(vshrq_n_s32(x, 31), x, multiplier), shift);
}

/* The same for shift >= 0, where there is no second rounding. */
static inline int32x4_t ct_requantize_large_mve(int32x4_t x, int32_t multiplier, int32_t shift)
{
    return vqrdmulhq_n_s32(vshlq_r_s32(x, shift), multiplier);
}

#endif
