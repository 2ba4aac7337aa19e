/* int8 normalization of [batches, pixels, channels], the channels in groups:
 *
 *   x[i]     = input[i] - mean of the group          (or - input_zero_point, if not centered)
 *   r[i]     = x[i] / sqrt(mean(x^2) + epsilon / count^2), in steps of 2^-normalized_bits
 *   output   = clamp((r[i] * weight[channel] / 2^31 + bias[channel]) / 2^output_bits + output_zero_point,
 *                    activation_min, activation_max)
 *
 * where a group has count = pixels * group_channels elements. A layer norm has one pixel and one group, an
 * instance norm has groups of one channel. Sums are exact; the inverse root is that of ct_inverse_sqrt.h, and
 * products with it those of ct_requantize.h.
 */
#ifndef CT_QUANTIZED_GROUP_NORM_H
#define CT_QUANTIZED_GROUP_NORM_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_group_norm_params {
    int64_t epsilon; /* in squared steps of the input, times count^2; 0..2^61 */
    uint32_t batches, pixels;
    uint16_t groups, group_channels; /* pixels * group_channels is at most 2^20 */
    int8_t input_zero_point, output_zero_point;
    uint8_t is_centered;
    uint8_t normalized_bits; /* 29 - log2(sqrt(count)), rounded down: r fits int32 */
    uint8_t output_bits;     /* 1..30 */
    int8_t activation_min, activation_max;
} ct_quantized_group_norm_params;

/* Portable. output may be input. |bias| is at most 2^30. */
ct_status ct_quantized_group_norm(const ct_quantized_group_norm_params *p, const int8_t *input,
                                  const int32_t *weight, const int32_t *bias, int8_t *output);

#endif
