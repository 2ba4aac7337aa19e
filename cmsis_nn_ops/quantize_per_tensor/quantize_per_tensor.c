#include "quantize_per_tensor.h"
#include "ct_float.h"
#include "ct_requantize.h"

static inline int32_t quantize(const ct_quantize_per_tensor_params *p, float x)
{
    return ct_clamp(ct_nearest(x * p->inverse_scale) + p->zero_point, p->quant_min, p->quant_max);
}

/* The copy of *p stays in registers: for the compiler, output might overlap *p. */
#define DEFINE_QUANTIZE(function, type)                                                          \
    ct_status function(const ct_quantize_per_tensor_params *p, const float *input, type *output) \
    {                                                                                            \
        const ct_quantize_per_tensor_params local = *p;                                          \
        for (uint32_t i = 0; i < local.elements; i++) {                                          \
            output[i] = (type)quantize(&local, input[i]);                                        \
        }                                                                                        \
        return CT_OK;                                                                            \
    }

DEFINE_QUANTIZE(ct_quantize_per_tensor_int8, int8_t)
DEFINE_QUANTIZE(ct_quantize_per_tensor_uint8, uint8_t)
DEFINE_QUANTIZE(ct_quantize_per_tensor_int16, int16_t)
