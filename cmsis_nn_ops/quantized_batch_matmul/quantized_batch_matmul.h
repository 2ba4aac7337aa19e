/* int8 products of matrices, both computed, the right one transposed:
 *
 *   acc[b,i,j] = sum((lhs[b,i,k] + lhs_offset) * (rhs_transposed[b,j,k] + rhs_offset))
 *   out[b,i,j] = clamp(requantize(acc, multiplier, shift) + output_zero_point, -128, 127)
 *
 * A single matrix may serve all products of a batch.
 */
#ifndef CT_QUANTIZED_BATCH_MATMUL_H
#define CT_QUANTIZED_BATCH_MATMUL_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_batch_matmul_params {
    uint32_t lhs_step, rhs_step;   /* elements from one matrix of a batch to the next; 0: there is only one */
    int32_t multiplier;            /* 0 or more */
    uint16_t batches;              /* of the output */
    uint16_t rows, columns, inner; /* no accumulator leaves int32, left shift included */
    int16_t lhs_offset, rhs_offset; /* minus the zero points, -127..128 */
    int8_t shift;                   /* -31..30 */
    int8_t output_zero_point;
} ct_quantized_batch_matmul_params;

/* Portable. lhs: [batches or 1, rows, inner], rhs_transposed: [batches or 1, columns, inner]. */
ct_status ct_quantized_batch_matmul(const ct_quantized_batch_matmul_params *p, const int8_t *lhs,
                                    const int8_t *rhs_transposed, int8_t *output);

#endif
