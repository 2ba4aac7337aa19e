/* Permutation of axes, as nested loops over both tensors:
 *
 *   for every index: out[sum(index[a] * output_strides[a])] = in[sum(index[a] * input_strides[a])]
 *
 * The host joins axes that stay neighbours and puts the best one last, which is the innermost loop.
 */
#ifndef CT_TRANSPOSE_H
#define CT_TRANSPOSE_H

#include "ct_status.h"
#include <stdint.h>

#define CT_TRANSPOSE_AXES 6

typedef struct ct_transpose_params {
    uint32_t sizes[CT_TRANSPOSE_AXES];         /* the first `rank` count; none is 0 */
    uint32_t input_strides[CT_TRANSPOSE_AXES]; /* in elements */
    uint32_t output_strides[CT_TRANSPOSE_AXES];
    uint8_t rank;          /* 1..6 */
    uint8_t element_bytes; /* 1, 2, 4 or 8; both tensors are aligned to it */
} ct_transpose_params;

/* Portable. */
ct_status ct_transpose(const ct_transpose_params *p, const void *input, void *output);

#endif
