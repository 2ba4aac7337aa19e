/* int8 fully connected layer, per-channel requantization.
 *
 *   acc[r,o] = bias[o] + sum((input[r,i] + input_offset) * weight[o,i])
 *   out[r,o] = clamp(requantize(acc, multiplier[o], shift[o]) + output_offset,
 *                    activation_min, activation_max)
 */
#ifndef CT_QUANTIZED_LINEAR_PER_CHANNEL_H
#define CT_QUANTIZED_LINEAR_PER_CHANNEL_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_linear_per_channel_params {
    uint32_t rows; /* product of all dimensions of the input but the last */
    uint16_t input_features, output_features;
    int16_t input_offset; /* minus the input's zero point, -127..128 */
    int8_t output_offset; /* the output's zero point */
    int8_t activation_min, activation_max;
} ct_quantized_linear_per_channel_params;

/* Portable. input: [rows, input_features]; weight: [output_features, input_features]; bias, multipliers,
 * shifts: [output_features]; bias may be NULL; output: [rows, output_features]. */
ct_status ct_quantized_linear_per_channel(const ct_quantized_linear_per_channel_params *p,
                                          const int8_t *input, const int8_t *weight, const int32_t *bias,
                                          const int32_t *requantize_multipliers,
                                          const int32_t *requantize_shifts, int8_t *output);

#endif
