/* The larger of two numbers of one dtype, broadcast. A NaN stays one; of equal ones (two zeros, say) it is
 * other's. int8 numbers have the same scale and zero point as the output. */
#ifndef CT_MAXIMUM_H
#define CT_MAXIMUM_H

#include "ct_broadcast.h"
#include "ct_status.h"
#include <stdint.h>

typedef struct ct_maximum_params {
    uint32_t sizes[CT_BROADCAST_RANK];   /* of the output, outermost first */
    uint8_t kind;                        /* ct_key_kind */
    uint8_t self_repeats, other_repeats; /* bit d: the operand has size 1 where sizes[d] counts */
} ct_maximum_params;

/* Portable, any dtype. `output` may be an operand of its own size. */
ct_status ct_maximum(const ct_maximum_params *p, const void *self, const void *other, void *output);

/* int8 of equal shapes. */
ct_status ct_maximum_int8(const ct_maximum_params *p, const int8_t *self, const int8_t *other,
                          int8_t *output);

#endif
