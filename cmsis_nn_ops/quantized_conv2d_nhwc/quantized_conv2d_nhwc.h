/* int8 convolution, NHWC activations, OHWI weights, any groups, per-channel requantization.
 *
 *   acc[n,y,x,o] = bias[o] + sum((input[...] + input_offset) * weight[o,ky,kx,i])
 *   out[n,y,x,o] = clamp(requantize(acc, multiplier[o], shift[o]) + output_offset, activation_min,
 * activation_max)
 *
 * Pixels outside the input count as real zero (they add nothing to acc).
 */
#ifndef CT_QUANTIZED_CONV2D_NHWC_H
#define CT_QUANTIZED_CONV2D_NHWC_H

#include "ct_matmul_mve.h"
#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_conv2d_nhwc_params {
    uint16_t batches;
    uint16_t input_height, input_width, input_channels;    /* input_channels % groups == 0 */
    uint16_t output_height, output_width, output_channels; /* output_channels % groups == 0 */
    uint16_t kernel_height, kernel_width;
    uint16_t groups;
    uint16_t stride_height, stride_width;
    uint16_t dilation_height, dilation_width;
    uint16_t pad_top, pad_left; /* bottom and right follow from the output size */
    int16_t input_offset;       /* minus the input's zero point, -127..128 */
    int16_t output_offset;      /* the output's zero point, -128..127 */
    int8_t activation_min, activation_max;
    /* Helium computes column by column. */
    uint16_t rows_per_pass; /* outputs of a column that are computed together */
    uint8_t in_place;       /* windows are contiguous and have no padding */
    uint8_t copied_rows;    /* in place: rows within 16 bytes of the input's end */
    uint8_t is_transposed;  /* "any": height and width of everything above are exchanged */
    uint16_t phases;        /* "any": every phases-th output of a column has windows of the same rows, */
    uint16_t window_rows;   /* which are that many of them apart */
    uint8_t is_pointwise;   /* DSP: 1x1, stride 1, no padding; pixels may come as one row */
    uint8_t parts_are_rows; /* DSP: windows are widened row by row: multiples of four bytes */
} ct_quantized_conv2d_nhwc_params;

/* Portable. weight: [output_channels, kernel_height, kernel_width, input_channels / groups];
 * bias, multipliers, shifts: [output_channels]; bias may be NULL. */
ct_status ct_quantized_conv2d_nhwc(const ct_quantized_conv2d_nhwc_params *p, const int8_t *input,
                                   const int8_t *weight, const int32_t *bias,
                                   const int32_t *requantize_multipliers, const int32_t *requantize_shifts,
                                   int8_t *output);

/* Helium, one group, no dilation (those parameters are not used); a 1x1 convolution may come as one column of
 * pixels. packed_weight, channels: see ct_matmul_mve.h. scratch: CT_MATMUL_SUMS_BYTES(rows_per_pass), then 16
 * bytes more than the copied rows, or than the rows of one column of windows if not in place. */
ct_status ct_quantized_conv2d_nhwc_mve(const ct_quantized_conv2d_nhwc_params *p, const int8_t *input,
                                       const int8_t *packed_weight, const ct_matmul_pair *channels,
                                       int8_t *output, void *scratch);

/* The same for any convolution, never in place; weights and channels group after group. */
ct_status ct_quantized_conv2d_nhwc_any_mve(const ct_quantized_conv2d_nhwc_params *p, const int8_t *input,
                                           const int8_t *packed_weight, const ct_matmul_pair *channels,
                                           int8_t *output, void *scratch);

/* DSP extension, one group. filters: see ct_matmul_dsp.h. scratch: three times CT_WIDE_BYTES(features of a
 * window), then, unless is_pointwise, three rows of windows, or three windows and 12 bytes. */
ct_status ct_quantized_conv2d_nhwc_dsp(const ct_quantized_conv2d_nhwc_params *p, const int8_t *input,
                                       const int32_t *filters, int8_t *output, void *scratch);

/* The same for any weights and factors; those as in ct_matmul_plain_dsp.h. */
ct_status ct_quantized_conv2d_nhwc_plain_dsp(const ct_quantized_conv2d_nhwc_params *p, const int8_t *input,
                                             const int8_t *padded_weight, const int32_t *folded_bias,
                                             const int32_t *requantize_multipliers,
                                             const int32_t *requantize_shifts, int8_t *output, void *scratch);

#endif
