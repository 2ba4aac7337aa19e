/* Entries of one axis, picked by an index: input is [outer, length, entries] of entry_bytes each.
 *
 *   out[o,i,j] = input[o, index[o,i,j], j]
 *
 * The index may be the same for all o (index_step 0), and one entry may hold all that lies behind the axis.
 * Negative indices count from the end.
 */
#ifndef CT_GATHER_H
#define CT_GATHER_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_gather_params {
    uint32_t outer, length;
    uint32_t count;   /* picked for each o */
    uint32_t entries; /* with an index of their own */
    uint32_t entry_bytes;
    uint32_t index_step; /* indices from one o to the next: 0, or count * entries */
    uint8_t index_bytes; /* 4 or 8 */
} ct_gather_params;

/* Portable. index: int32 or int64 [1 or outer, count, entries]. CT_ERR_ARGUMENT if one is not in
 * -length..length - 1. */
ct_status ct_gather(const ct_gather_params *p, const void *input, const void *index, void *output);

#endif
