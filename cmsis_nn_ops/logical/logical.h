/* A function of two truth values, broadcast:
 *
 *   out = bit 2 * (self != 0) + (other != 0) of truth_table
 *
 * and is 8, or 14, exclusive or 6, equal 9. */
#ifndef CT_LOGICAL_H
#define CT_LOGICAL_H

#include "ct_broadcast.h"
#include "ct_status.h"
#include <stdint.h>

typedef struct ct_logical_params {
    uint32_t sizes[CT_BROADCAST_RANK];   /* of the output, outermost first */
    uint8_t truth_table;                 /* 0..15 */
    uint8_t self_repeats, other_repeats; /* bit d: the operand has size 1 where sizes[d] counts */
} ct_logical_params;

/* Portable. `output` may be an operand of its own size. */
ct_status ct_logical(const ct_logical_params *p, const uint8_t *self, const uint8_t *other, uint8_t *output);

#endif
