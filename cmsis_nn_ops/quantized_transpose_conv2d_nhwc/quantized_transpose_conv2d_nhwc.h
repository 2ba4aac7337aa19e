/* int8 transposed convolution, NHWC activations, OHWI weights, any groups, per-channel requantization.
 *
 * Each input pixel (y, x) adds its share to the output pixels (y * stride_height - pad_top + ky *
 * dilation_height, x * stride_width - pad_left + kx * dilation_width) that exist:
 *
 *   acc[n,..,..,o] = bias[o] + sum((input[n,y,x,i] + input_offset) * weight[o,ky,kx,i])
 *   out[n,..,..,o] = clamp(requantize(acc, multiplier[o], shift[o]) + output_offset,
 *                          activation_min, activation_max)
 *
 * The kernels gather: an output pixel's taps are every tap_step-th row (or column) of the kernel.
 */
#ifndef CT_QUANTIZED_TRANSPOSE_CONV2D_NHWC_H
#define CT_QUANTIZED_TRANSPOSE_CONV2D_NHWC_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_transpose_conv2d_nhwc_params {
    uint16_t batches;
    uint16_t input_height, input_width, input_channels;    /* input_channels % groups == 0 */
    uint16_t output_height, output_width, output_channels; /* output_channels % groups == 0 */
    uint16_t kernel_height, kernel_width;
    uint16_t groups;
    uint16_t stride_height, stride_width;
    uint16_t dilation_height, dilation_width; /* 1 where the kernel has a single tap */
    uint16_t tap_step_height, tap_step_width; /* stride / gcd(stride, dilation) */
    uint16_t pad_top, pad_left;               /* rows and columns cropped off the output */
    int16_t input_offset;                     /* minus the input's zero point, -127..128 */
    int8_t output_offset;                     /* the output's zero point */
    int8_t activation_min, activation_max;
} ct_quantized_transpose_conv2d_nhwc_params;

/* Portable. weight: [output_channels, kernel_height, kernel_width, input_channels / groups]; bias,
 * multipliers, shifts: [output_channels]; bias may be NULL. */
ct_status ct_quantized_transpose_conv2d_nhwc(const ct_quantized_transpose_conv2d_nhwc_params *p,
                                             const int8_t *input, const int8_t *weight, const int32_t *bias,
                                             const int32_t *requantize_multipliers,
                                             const int32_t *requantize_shifts, int8_t *output);

#endif
