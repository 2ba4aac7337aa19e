/* As ct_matmul_dsp.h, for weights that are too large to share halfwords, and for any factors: a channel at a
 * time, on weights in their own order. */
#ifndef CT_MATMUL_PLAIN_DSP_H
#define CT_MATMUL_PLAIN_DSP_H

#include <stdint.h>

typedef struct ct_matmul_plain_dsp {
    const int8_t *weights; /* [channels, steps, 4], zero beyond a row's end */
    const int32_t *bias;   /* includes the input's zero point */
    const int32_t *multipliers, *shifts;
    int32_t channels;
    int32_t steps; /* of four features, in a row */
    int32_t output_offset;
} ct_matmul_plain_dsp;

/* One row from ct_widen, of a const ct_matmul_plain_dsp *. Outputs are saturated. */
void ct_matmul_plain_dsp_row(const void *matmul, const uint32_t *wide, int8_t *output);

/* Three rows from ct_widen_three; their outputs follow each other. */
void ct_matmul_plain_dsp_three(const void *matmul, const uint32_t *wide, int8_t *output);

#endif
