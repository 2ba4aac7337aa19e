/* int8 average pooling, NHWC, same scale and zero point in and out; padding is not counted.
 *
 *   out[n,y,x,c] = sum(pixels of the window inside the input) / their number
 *
 * rounded to nearest, ties away from zero. The mean of stored values is the stored value of the mean, so the
 * zero point plays no part.
 */
#ifndef CT_QUANTIZED_AVG_POOL2D_NHWC_H
#define CT_QUANTIZED_AVG_POOL2D_NHWC_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_avg_pool2d_nhwc_params {
    uint16_t batches;
    uint16_t input_height, input_width, channels;
    uint16_t output_height, output_width;
    uint16_t kernel_height, kernel_width; /* every window has 1..2^23 pixels of the input */
    uint16_t stride_height, stride_width;
    uint16_t pad_top, pad_left; /* bottom and right follow from the output size */
} ct_quantized_avg_pool2d_nhwc_params;

/* Portable. */
ct_status ct_quantized_avg_pool2d_nhwc(const ct_quantized_avg_pool2d_nhwc_params *p, const int8_t *input,
                                       int8_t *output);

/* Helium; windows of up to 256 pixels. */
ct_status ct_quantized_avg_pool2d_nhwc_mve(const ct_quantized_avg_pool2d_nhwc_params *p, const int8_t *input,
                                           int8_t *output);

/* DSP extension; at least four channels, windows of up to 256 pixels. */
ct_status ct_quantized_avg_pool2d_nhwc_dsp(const ct_quantized_avg_pool2d_nhwc_params *p, const int8_t *input,
                                           int8_t *output);

#endif
