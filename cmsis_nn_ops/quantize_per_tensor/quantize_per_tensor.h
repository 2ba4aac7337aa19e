/* float32 to integers with one scale:
 *
 *   out[i] = clamp(rint(in[i] * inverse_scale) + zero_point, quant_min, quant_max)
 *
 * The product is rounded to float32, rint rounds half to even. Infinities and values out of the int32 range
 * saturate; NaN becomes zero_point. Needs the default rounding mode; flushing subnormals does not matter.
 */
#ifndef CT_QUANTIZE_PER_TENSOR_H
#define CT_QUANTIZE_PER_TENSOR_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantize_per_tensor_params {
    uint32_t elements;
    float inverse_scale; /* 1 / scale, rounded to float32; 2^-120 <= scale <= 2^120 */
    int16_t zero_point;  /* quant_min..quant_max */
    int16_t quant_min, quant_max;
} ct_quantize_per_tensor_params;

/* Portable; one function for each output type. */
ct_status ct_quantize_per_tensor_int8(const ct_quantize_per_tensor_params *p, const float *input,
                                      int8_t *output);
ct_status ct_quantize_per_tensor_uint8(const ct_quantize_per_tensor_params *p, const float *input,
                                       uint8_t *output);
ct_status ct_quantize_per_tensor_int16(const ct_quantize_per_tensor_params *p, const float *input,
                                       int16_t *output);

/* Helium. */
ct_status ct_quantize_per_tensor_int8_mve(const ct_quantize_per_tensor_params *p, const float *input,
                                          int8_t *output);

/* DSP extension; the same as the portable one where there is no FPU. */
ct_status ct_quantize_per_tensor_int8_dsp(const ct_quantize_per_tensor_params *p, const float *input,
                                          int8_t *output);

#endif
