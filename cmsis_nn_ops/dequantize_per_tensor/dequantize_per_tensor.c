#include "dequantize_per_tensor.h"

/* The copy of *p stays in registers: for the compiler, output might overlap *p. */
#define DEFINE_DEQUANTIZE(function, type)                                                          \
    ct_status function(const ct_dequantize_per_tensor_params *p, const type *input, float *output) \
    {                                                                                              \
        const ct_dequantize_per_tensor_params local = *p;                                          \
        for (uint32_t i = 0; i < local.elements; i++) {                                            \
            output[i] = (float)(input[i] - local.zero_point) * local.scale;                        \
        }                                                                                          \
        return CT_OK;                                                                              \
    }

DEFINE_DEQUANTIZE(ct_dequantize_per_tensor_int8, int8_t)
DEFINE_DEQUANTIZE(ct_dequantize_per_tensor_uint8, uint8_t)
DEFINE_DEQUANTIZE(ct_dequantize_per_tensor_int16, int16_t)
