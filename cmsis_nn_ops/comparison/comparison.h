/* A relation of two numbers of one dtype, broadcast. With an outcome of 0 if self is smaller, 1 if they are
 * equal, 2 if self is larger, and 3 if one of them is NaN:
 *
 *   out = bit `outcome` of relation
 *
 * < is 1, <= 3, == 2, >= 6, > 4, != 13. int8 numbers stand for real ones and are compared as such: a with b
 * where
 *
 *   a = (self - self_zero_point) * self_multiplier, b = (other - other_zero_point) * other_multiplier
 *
 * in 64 bits. The multipliers are to each other as the scales are, within 2^-30 of the larger one; for equal
 * scales, and those that are a power of two apart, that is exact.
 */
#ifndef CT_COMPARISON_H
#define CT_COMPARISON_H

#include "ct_broadcast.h"
#include "ct_status.h"
#include <stdint.h>

typedef struct ct_comparison_params {
    uint32_t sizes[CT_BROADCAST_RANK];         /* of the output, outermost first */
    int32_t self_multiplier, other_multiplier; /* int8 only */
    int8_t self_zero_point, other_zero_point;
    uint8_t relation;
    uint8_t kind;                        /* ct_key_kind */
    uint8_t self_repeats, other_repeats; /* bit d: the operand has size 1 where sizes[d] counts */
} ct_comparison_params;

/* Portable. */
ct_status ct_comparison_int8(const ct_comparison_params *p, const int8_t *self, const int8_t *other,
                             uint8_t *output);

/* Other dtypes, which are compared as they are. */
ct_status ct_comparison(const ct_comparison_params *p, const void *self, const void *other, uint8_t *output);

#endif
