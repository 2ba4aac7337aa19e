/* int8 depthwise convolution, NHWC activations, per-channel requantization.
 *
 * Output channel o reads input channel i = o / depth_multiplier only:
 *
 *   acc[n,y,x,o] = bias[o] + sum((input[n,..,..,i] + input_offset) * weight[0,ky,kx,o])
 *   out[n,y,x,o] = clamp(requantize(acc, multiplier[o], shift[o]) + output_offset,
 *                        activation_min, activation_max)
 *
 * Pixels outside the input count as real zero (they add nothing to acc).
 */
#ifndef CT_QUANTIZED_DEPTHWISE_CONV2D_NHWC_H
#define CT_QUANTIZED_DEPTHWISE_CONV2D_NHWC_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_depthwise_conv2d_nhwc_params {
    uint16_t batches;
    uint16_t input_height, input_width, input_channels;
    uint16_t output_height, output_width;
    uint16_t depth_multiplier; /* output channels per input channel */
    uint16_t kernel_height, kernel_width;
    uint16_t stride_height, stride_width;
    uint16_t dilation_height, dilation_width; /* 1 where the kernel has a single tap */
    uint16_t pad_top, pad_left;               /* bottom and right follow from the output size */
    int16_t input_offset;                     /* minus the input's zero point, -127..128 */
    int8_t output_offset;                     /* the output's zero point */
    int8_t activation_min, activation_max;
} ct_quantized_depthwise_conv2d_nhwc_params;

/* Portable. weight: [1, kernel_height, kernel_width, output channels]; bias, multipliers, shifts: one entry
 * per output channel; bias may be NULL. */
ct_status ct_quantized_depthwise_conv2d_nhwc(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                                             const int8_t *input, const int8_t *weight, const int32_t *bias,
                                             const int32_t *requantize_multipliers,
                                             const int32_t *requantize_shifts, int8_t *output);

#endif
