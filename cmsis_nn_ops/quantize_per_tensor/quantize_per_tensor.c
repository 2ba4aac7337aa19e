#include "quantize_per_tensor.h"
#include "ct_requantize.h"
#include <string.h>

#define LIMIT (1 << 22)
#define LIMIT_BITS 0x4A800000    /* of the float 2^22 */
#define INFINITY_BITS 0x7F800000 /* above it: NaN */
#define ROUNDER 12582912.0f      /* 1.5 * 2^23: floats around it are one integer apart */
#define ROUNDER_BITS 0x4B400000

static inline int32_t float_bits(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* x to the nearest integer, ties to even; saturates at +-2^22 (any output type is narrower), NaN becomes 0.
 * Adding ROUNDER makes the FPU (or the soft-float addition) round, and leaves the integer in the low bits:
 * no libm call, no conversion that is undefined for large values. */
static inline int32_t nearest(float x)
{
    const int32_t bits = float_bits(x);
    const int32_t magnitude = bits & INT32_MAX;
    if (magnitude > INFINITY_BITS) {
        return 0;
    }
    if (magnitude > LIMIT_BITS) {
        return bits < 0 ? -LIMIT : LIMIT;
    }
    return float_bits(x + ROUNDER) - ROUNDER_BITS;
}

static inline int32_t quantize(const ct_quantize_per_tensor_params *p, float x)
{
    return ct_clamp(nearest(x * p->inverse_scale) + p->zero_point, p->quant_min, p->quant_max);
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
