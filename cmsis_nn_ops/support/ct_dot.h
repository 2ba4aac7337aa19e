/* Dot products of the portable kernels: plain C, for any core.
 *
 * Those of four outputs are in functions of their own, since their loops need all registers of a core. */
#ifndef CT_DOT_H
#define CT_DOT_H

#include <stdint.h>

/* sum of (input[i] + offset) * weight[i] */
static inline int32_t ct_dot(const int8_t *input, const int8_t *weight, int32_t count, int32_t offset)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += (input[i] + offset) * weight[i];
    }
    return sum;
}

/* Adds those of four weights, `stride` elements apart, to sums: each input is loaded once for all four. */
void ct_dot_four(const int8_t *input, const int8_t *weight, int32_t stride, int32_t count, int32_t offset,
                 int32_t sums[4]);

/* Adds to sums those of four neighbouring channels, each with itself: `taps` pixels of `input_step` bytes,
 * and weights of `weight_step`. */
void ct_dot_four_channels(const int8_t *input, const int8_t *weight, int32_t taps, int32_t input_step,
                          int32_t weight_step, int32_t offset, int32_t sums[4]);

#endif
