/* Entries of a copy of a tensor that are set, or added to, where an index says. The input is
 * [outer, sizes[0], ..., sizes[axes - 1], entry], the values [outer, count, entry], each index [count]:
 *
 *   out[o, indices[0][c], ..., indices[axes - 1][c], :] = values[o, c, :], or += with accumulate
 *
 * Of equal indices the last one wins, or all are added in order. Negative indices count from the end.
 * Sums of int8 numbers, which have one scale and zero point, saturate after each addition; other integers
 * wrap.
 */
#ifndef CT_SCATTER_H
#define CT_SCATTER_H

#include "ct_status.h"
#include <stdint.h>

#define CT_SCATTER_AXES 6

typedef struct ct_scatter_params {
    uint32_t outer, count, entry;
    uint32_t sizes[CT_SCATTER_AXES]; /* of the axes that are indexed */
    uint8_t axes;
    uint8_t index_bytes; /* 4 or 8 */
    uint8_t kind;        /* of the entries: ct_key_kind */
    uint8_t accumulate;
    int8_t zero_point; /* of int8 numbers that are added */
} ct_scatter_params;

/* Portable. output may be input. CT_ERR_ARGUMENT if an index is out of range. */
ct_status ct_scatter(const ct_scatter_params *p, const void *input, const void *const *indices,
                     const void *values, void *output);

#endif
