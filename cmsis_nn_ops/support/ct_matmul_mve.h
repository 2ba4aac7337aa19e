/* Rows of int8 times packed int8 weights, requantized per channel: the core of the Helium convolutions.
 *
 *   sum[r,o]                 = bias[o] + sum(row[r,i] * weight[o,i])
 *   output[r * output_step + o] = clamp(requantize(sum, multiplier[o], shift[o]) + output_offset,
 *                                       activation_min, activation_max)
 *
 * The host (cmsis_nn_ops/matmul.py) packs weights and constants; it folds the input's zero point into the
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
} ct_matmul;

/* Bytes of `sums` for so many rows, a multiple of 16. */
#define CT_MATMUL_SUMS_BYTES(rows) ((8 * ((rows) + 3) + 15) & ~15)

/* `rows` lie `row_bytes` apart; of each one, 16 * m->chunks bytes are read. 3 * output_step < 65535. */
void ct_matmul_mve(const ct_matmul *m, const int8_t *rows, int32_t row_bytes, int32_t row_count,
                   int8_t *output, int32_t output_step, int32_t *sums);

#endif
