/* int8 sum over a sliding window, NHWC, requantized, fused activation: average pooling with a divisor of its
 * own, or with padding that counts.
 *
 *   sum[n,y,x,c] = sum(pixels of the window inside the input + input_offset)
 *   out[n,y,x,c] = clamp(requantize(sum, multiplier, shift) + output_offset, activation_min, activation_max)
 *
 * A window that reaches past the padding at the end (ceil_mode) stands for a whole one: its sum is multiplied
 * by the pixels of a window and divided by those of its own part, to nearest, ties away from zero.
 */
#ifndef CT_QUANTIZED_SUM_POOL2D_NHWC_H
#define CT_QUANTIZED_SUM_POOL2D_NHWC_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_sum_pool2d_nhwc_params {
    int32_t multiplier;
    uint16_t batches;
    uint16_t input_height, input_width, channels;
    uint16_t output_height, output_width;
    uint16_t kernel_height, kernel_width;
    uint16_t stride_height, stride_width;
    uint16_t pad_top, pad_left, pad_bottom, pad_right;
    int16_t input_offset; /* minus the input's zero point, -127..128 */
    int8_t shift;         /* -31..30; the sum fits int32 after a shift to the left */
    int8_t output_offset; /* the output's zero point */
    int8_t activation_min, activation_max;
} ct_quantized_sum_pool2d_nhwc_params;

/* Portable. */
ct_status ct_quantized_sum_pool2d_nhwc(const ct_quantized_sum_pool2d_nhwc_params *p, const int8_t *input,
                                       int8_t *output);

#endif
