/* int8 max pooling, NHWC, fused activation.
 *
 *   out[n,y,x,c] = clamp(max(window), activation_min, activation_max)
 *
 * Pixels outside the input count as -128.
 */
#ifndef CT_QUANTIZED_MAX_POOL2D_NHWC_H
#define CT_QUANTIZED_MAX_POOL2D_NHWC_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_max_pool2d_nhwc_params {
    uint16_t batches;
    uint16_t input_height, input_width, channels;
    uint16_t output_height, output_width;
    uint16_t kernel_height, kernel_width;
    uint16_t stride_height, stride_width;
    uint16_t dilation_height, dilation_width; /* 1 where the kernel has a single tap */
    uint16_t pad_top, pad_left;               /* bottom and right follow from the output size */
    int8_t activation_min, activation_max;
} ct_quantized_max_pool2d_nhwc_params;

/* Portable. */
ct_status ct_quantized_max_pool2d_nhwc(const ct_quantized_max_pool2d_nhwc_params *p, const int8_t *input,
                                       int8_t *output);

/* Helium. */
ct_status ct_quantized_max_pool2d_nhwc_mve(const ct_quantized_max_pool2d_nhwc_params *p, const int8_t *input,
                                           int8_t *output);

/* DSP extension; at least four channels. */
ct_status ct_quantized_max_pool2d_nhwc_dsp(const ct_quantized_max_pool2d_nhwc_params *p, const int8_t *input,
                                           int8_t *output);

#endif
