/* int8 sum over a sliding window, NHWC, requantized, fused activation: average pooling with a fixed divisor,
 * where padding counts, and scale and zero point may change.
 *
 *   acc[n,y,x,c] = sum(pixels of the window inside the input + input_offset)
 *   out[n,y,x,c] = clamp(requantize(acc, multiplier, shift) + output_offset, activation_min, activation_max)
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
    uint16_t kernel_height, kernel_width; /* acc fits int32, also when shifted left by `shift` */
    uint16_t stride_height, stride_width;
    uint16_t pad_top, pad_left; /* bottom and right follow from the output size */
    int16_t input_offset;       /* minus the input's zero point, -127..128 */
    int8_t shift;               /* -31..22 */
    int8_t output_offset;       /* the output's zero point */
    int8_t activation_min, activation_max;
} ct_quantized_sum_pool2d_nhwc_params;

/* Portable. */
ct_status ct_quantized_sum_pool2d_nhwc(const ct_quantized_sum_pool2d_nhwc_params *p, const int8_t *input,
                                       int8_t *output);

#endif
