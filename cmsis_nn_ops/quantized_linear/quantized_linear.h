/* int8 fully connected layer, one scale for all outputs:
 *
 *   sum[r,o]    = bias[o] + sum((input[r,i] + input_offset) * (weights[o,i] + filter_offset)), or
 *                 kernel_sum[o] + sum(input[r,i] * (weights[o,i] + filter_offset))
 *   output[r,o] = clamp(requantize(sum[r,o], multiplier, shift) + output_offset, activation_min,
 *                       activation_max)
 */
#ifndef CT_QUANTIZED_LINEAR_H
#define CT_QUANTIZED_LINEAR_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_linear_params {
    int32_t multiplier;
    uint32_t rows;
    uint16_t input_features, output_features;
    int8_t shift;                        /* -31..30 */
    int16_t input_offset, filter_offset; /* -127..128 */
    int8_t output_offset, activation_min, activation_max;
} ct_quantized_linear_params;

/* Portable. input: [rows, input_features], weights: [output_features, input_features]. bias, kernel_sum:
 * [output_features], or NULL; not both. */
ct_status ct_quantized_linear(const ct_quantized_linear_params *p, const int8_t *input, const int8_t *weights,
                              const int32_t *bias, const int32_t *kernel_sum, int8_t *output);

#endif
