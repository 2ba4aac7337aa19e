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

/* Helium: bytes, whose innermost strides are below 9363 or both 1; elements of any size in contiguous runs.
 */
ct_status ct_transpose_mve(const ct_transpose_params *p, const void *input, void *output);

/* The innermost loop of a transpose. */
typedef struct ct_transpose_run {
    uint32_t size, input_stride, output_stride; /* in elements */
    uint32_t element_bytes;
} ct_transpose_run;

typedef void (*ct_transpose_copy)(const ct_transpose_run *run, const uint8_t *input, uint8_t *output);

/* The outer loops: calls `copy` for every run. */
void ct_transpose_runs(const ct_transpose_params *p, const void *input, void *output, ct_transpose_copy copy);

#endif
