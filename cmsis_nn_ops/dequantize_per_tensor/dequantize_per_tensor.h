/* Integers with one scale to float32:
 *
 *   out[i] = (float)(in[i] - zero_point) * scale
 *
 * The difference is exact, the product is rounded to float32 once.
 */
#ifndef CT_DEQUANTIZE_PER_TENSOR_H
#define CT_DEQUANTIZE_PER_TENSOR_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_dequantize_per_tensor_params {
    uint32_t elements;
    float scale;        /* 2^-120..2^110: no output is subnormal or infinite */
    int16_t zero_point; /* in the range of the input's type */
} ct_dequantize_per_tensor_params;

/* Portable; one function for each input type. */
ct_status ct_dequantize_per_tensor_int8(const ct_dequantize_per_tensor_params *p, const int8_t *input,
                                        float *output);
ct_status ct_dequantize_per_tensor_uint8(const ct_dequantize_per_tensor_params *p, const uint8_t *input,
                                         float *output);
ct_status ct_dequantize_per_tensor_int16(const ct_dequantize_per_tensor_params *p, const int16_t *input,
                                         float *output);

#endif
