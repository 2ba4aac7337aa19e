/* int8 fully connected layer, per-channel requantization.
 *
 *   acc[r,o] = bias[o] + sum((input[r,i] + input_offset) * weight[o,i])
 *   out[r,o] = clamp(requantize(acc, multiplier[o], shift[o]) + output_offset,
 *                    activation_min, activation_max)
 */
#ifndef CT_QUANTIZED_LINEAR_PER_CHANNEL_H
#define CT_QUANTIZED_LINEAR_PER_CHANNEL_H

#include "ct_matmul_mve.h"
#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_linear_per_channel_params {
    uint32_t rows; /* product of all dimensions of the input but the last */
    uint16_t input_features, output_features;
    int16_t input_offset; /* minus the input's zero point, -127..128 */
    int8_t output_offset; /* the output's zero point */
    int8_t activation_min, activation_max;
    uint16_t rows_per_pass; /* Helium: that are computed together */
    uint8_t copied_rows;    /* Helium: last rows, within 16 bytes of the input's end */
} ct_quantized_linear_per_channel_params;

/* Portable. input: [rows, input_features]; weight: [output_features, input_features]; bias, multipliers,
 * shifts: [output_features]; bias may be NULL; output: [rows, output_features]. */
ct_status ct_quantized_linear_per_channel(const ct_quantized_linear_per_channel_params *p,
                                          const int8_t *input, const int8_t *weight, const int32_t *bias,
                                          const int32_t *requantize_multipliers,
                                          const int32_t *requantize_shifts, int8_t *output);

/* Helium, any number of rows. packed_weight, channels: see ct_matmul_mve.h; scratch:
 * CT_MATMUL_SUMS_BYTES(rows_per_pass), then, if any, 16 bytes more than the copied rows. */
ct_status ct_quantized_linear_per_channel_mve(const ct_quantized_linear_per_channel_params *p,
                                              const int8_t *input, const int8_t *packed_weight,
                                              const ct_matmul_pair *channels, int8_t *output, void *scratch);

/* Constants of four neighbouring outputs; the bias includes the input's zero point. If their number is not a
 * multiple of four, the second four overlap the first ones. */
typedef struct ct_linear_four {
    int32_t bias[4], multiplier[4];
    int8_t shift[4];
} ct_linear_four;

/* Helium, one row, at least four outputs, all shifts < 0. packed_weight: [fours, vectors of the input, 4,
 * 16], zero beyond the input's end; scratch: the input in whole vectors, if it is not. */
ct_status ct_quantized_linear_per_channel_row_mve(const ct_quantized_linear_per_channel_params *p,
                                                  const int8_t *input, const int8_t *packed_weight,
                                                  const ct_linear_four *channels, int8_t *output,
                                                  void *scratch);

/* DSP extension, at least two outputs. filters: see ct_matmul_dsp.h; scratch: CT_WIDE_BYTES(input_features),
 * three times if there are three rows or more. */
ct_status ct_quantized_linear_per_channel_dsp(const ct_quantized_linear_per_channel_params *p,
                                              const int8_t *input, const int32_t *filters, int8_t *output,
                                              void *scratch);

/* The same for any weights and factors, and a single output; those as in ct_matmul_plain_dsp.h. */
ct_status ct_quantized_linear_per_channel_plain_dsp(const ct_quantized_linear_per_channel_params *p,
                                                    const int8_t *input, const int8_t *padded_weight,
                                                    const int32_t *folded_bias,
                                                    const int32_t *requantize_multipliers,
                                                    const int32_t *requantize_shifts, int8_t *output,
                                                    void *scratch);

#endif
