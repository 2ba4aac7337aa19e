/* int8 rows of a table, reduced bag by bag. Bag b has the indices from offsets[b] to offsets[b + 1] - 1, the
 * last one, if it has no next offset, all that are left; padding_index is left out. For each column, over the
 * n rows of the bag:
 *
 *   sum, mean, max   acc = sum(row - weight_zero_point), mean of it, or its largest
 *   y   = divide(acc * 256, n for the mean, else 1)
 *   out = clamp(requantize(y, multiplier, shift) + output_zero_point, -128, 127)
 *
 * An empty bag is 0. divide rounds to nearest, ties away from zero.
 */
#ifndef CT_BAGGED_ROWS_H
#define CT_BAGGED_ROWS_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_bagged_rows_params {
    uint32_t rows, columns; /* of the table */
    uint32_t indices;       /* at most 2^15 */
    uint32_t bags;
    uint32_t offsets;      /* bags, or bags + 1 */
    int32_t padding_index; /* -1: none */
    int32_t multiplier;
    int8_t shift; /* -31..0 */
    int8_t weight_zero_point, output_zero_point;
    uint8_t mode;        /* sum 0, mean 1, max 2 */
    uint8_t index_bytes; /* 4 or 8, of offsets, too */
} ct_bagged_rows_params;

/* Portable. CT_ERR_ARGUMENT if an index is out of range, or an offset below the one before it or 0, or beyond
 * the last index. */
ct_status ct_bagged_rows(const ct_bagged_rows_params *p, const int8_t *weight, const void *indices,
                         const void *offsets, int8_t *output);

#endif
