/* Rows of int8 times packed int8 weights, requantized per channel: the core of convolutions and linear layers
 * on cores with the DSP extension.
 *
 *   sum[r,o]    = bias[o] + sum(row[r,i] * weight[o,i])
 *   output[r,o] = saturate(requantize(sum, multiplier[o], shift[o]) + output_offset)
 *
 * SMLAD multiplies pairs of int16. Rows are widened to that before they meet the weights. Weights stay int8:
 * two channels share a halfword, 256 * second + first. A sum over such halfwords is 256 * sum of the second
 * channel + sum of the first one, modulo 2^32; one SXTB16 leaves the first channel alone, whose sum then
 * separates the two. So widening takes the inner loop one instruction for four weights, and no more flash
 * than int8.
 *
 * The host (cmsis_nn_ops/matmul_dsp.py) packs weights and constants, folds the input's zero point into the
 * bias, and makes sure that the sums can be told apart.
 */
#ifndef CT_MATMUL_DSP_H
#define CT_MATMUL_DSP_H

#include <stdint.h>

typedef struct ct_matmul_dsp {
    /* For each pair of channels: two words for each step, then twice the second one's bias, its multiplier,
     * the shifts to the right less 1 (first | second << 8), twice the first one's bias, its multiplier. With
     * an odd number of channels, the last pair overlaps the one before. */
    const int32_t *filters;
    int32_t channels; /* at least 2 */
    int32_t steps;    /* of four features, in a row */
    int32_t output_offset;
} ct_matmul_dsp;

/* Bytes of a widened row of so many features. */
#define CT_WIDE_BYTES(features) (((features) + 3) / 4 * 8)

/* Widens so many int8 to int16, in fours whose halfwords stand in the order 0, 2, 1, 3; zeros fill up the
 * last four. Returns the end. */
uint32_t *ct_widen(uint32_t *wide, const int8_t *row, int32_t count);

/* Widens three rows, which alternate word by word. */
uint32_t *ct_widen_three(uint32_t *wide, const int8_t *const rows[3], int32_t count);

/* One row from ct_widen, of a const ct_matmul_dsp *. */
void ct_matmul_dsp_row(const void *matmul, const uint32_t *wide, int8_t *output);

/* Three rows from ct_widen_three; their outputs follow each other. */
void ct_matmul_dsp_three(const void *matmul, const uint32_t *wide, int8_t *output);

/* What multiplies rows: these two functions, or those of ct_matmul_plain_dsp.h. */
typedef struct ct_multiply_dsp {
    const void *matmul;
    void (*row)(const void *matmul, const uint32_t *wide, int8_t *output);
    void (*three)(const void *matmul, const uint32_t *wide, int8_t *output);
} ct_multiply_dsp;

#endif
