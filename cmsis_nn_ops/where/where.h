/* Entries of one of two tensors, as a third one says, all broadcast:
 *
 *   out = condition != 0 ? self : other
 */
#ifndef CT_WHERE_H
#define CT_WHERE_H

#include "ct_broadcast.h"
#include "ct_status.h"
#include <stdint.h>

typedef struct ct_where_params {
    uint32_t sizes[CT_BROADCAST_RANK]; /* of the output, outermost first */
    uint8_t entry_bytes;               /* of self and other: 1, 4 or 8 */
    uint8_t condition_repeats;         /* bit d: the operand has size 1 where sizes[d] counts */
    uint8_t self_repeats, other_repeats;
} ct_where_params;

/* Portable. `output` may be an operand of its own size. */
ct_status ct_where(const ct_where_params *p, const uint8_t *condition, const void *self, const void *other,
                   void *output);

#endif
