/* A range of one axis, as bytes: rows of each outer entry, row_stride apart from byte begin on.
 *
 * With a step of 1 the range is one row. */
#ifndef CT_SLICE_H
#define CT_SLICE_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_slice_params {
    uint32_t outer, outer_stride; /* entries of the axes in front, bytes of each in the input */
    uint32_t begin;               /* of the first row, in bytes, within an outer entry */
    uint32_t rows, row_stride, row_bytes;
} ct_slice_params;

/* Portable. */
ct_status ct_slice(const ct_slice_params *p, const void *input, void *output);

#endif
