/* Rows of int8 times packed int8 weights, requantized per channel: the core of the Helium convolutions.
 *
 *   sum[r,o]                 = bias[o] + sum(row[r,i] * weight[o,i])
 *   output[r * output_step + o] = clamp(requantize(sum, multiplier[o], shift[o]) + output_offset,
 *                                       activation_min, activation_max)
 *
 * The host (cmsis_nn_ops/matmul_mve.py) packs weights and constants; it folds the input's zero point into the
 * bias.
 */
#ifndef CT_MATMUL_MVE_H
#define CT_MATMUL_MVE_H

#include <stdint.h>

/* Two neighbouring output channels, which are computed together. */
typedef struct ct_matmul_pair {
    int32_t bias[2];
    int32_t multiplier[2];
    int8_t shift[2];
    int8_t is_large; /* one of the shifts is >= 0 */
    int8_t reserved;
} ct_matmul_pair;

typedef struct ct_matmul {
    const int8_t *weights;       /* [pairs, chunks, 2, 16], zero beyond a row's end */
    const ct_matmul_pair *pairs; /* with an odd number of channels, the last pair overlaps the one before */
    int32_t channels;            /* output channels */
    int32_t chunks;              /* of 16 bytes, in a row */
    int32_t output_offset, activation_min, activation_max;
    int32_t rows_per_pass; /* that are computed together */
    int32_t *sums;         /* CT_MATMUL_SUMS_BYTES(rows_per_pass) of scratch */
} ct_matmul;

#define CT_MATMUL_SUMS_BYTES(rows) ((8 * ((rows) + 3) + 15) & ~15)

/* `count` rows lie `row_bytes` apart; of each one, 16 * m->chunks bytes are read. 3 * output_step < 65535. */
void ct_matmul_mve(const ct_matmul *m, const int8_t *rows, int32_t row_bytes, int32_t count, int8_t *output,
                   int32_t output_step);

/* The same for rows of which the last `copied_rows` cannot be read in whole vectors, because the array ends;
 * they are copied to `copies`, which has 16 bytes more than they have. */
void ct_matmul_copied_mve(const ct_matmul *m, const int8_t *rows, int32_t row_bytes, int32_t count,
                          int32_t copied_rows, int8_t *output, int32_t output_step, int8_t *copies);

#endif
