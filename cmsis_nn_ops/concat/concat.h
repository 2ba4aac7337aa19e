/* Concatenation along one axis, as bytes: output row o is row o of every input in turn.
 *
 * A row is what an input holds along the axis and all axes behind it.
 */
#ifndef CT_CONCAT_H
#define CT_CONCAT_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_concat_params {
    uint32_t outer; /* rows of each input */
    uint32_t row_bytes[15];
    uint8_t tensors; /* 1..15 */
} ct_concat_params;

/* Portable. tensors: the inputs, p->tensors of them. */
ct_status ct_concat(const ct_concat_params *p, const void *const *tensors, void *output);

#endif
