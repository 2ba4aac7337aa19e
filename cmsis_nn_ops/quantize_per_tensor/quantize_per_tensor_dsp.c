#include "ct_bounds_dsp.h"
#include "ct_requantize.h"
#include "quantize_per_tensor.h"

#if defined(__ARM_FP) && (__ARM_FP & 4)

#include <arm_acle.h>
#include <string.h>

typedef struct fours {
    int32_t a, b, c, d;
} fours;

/* Products with the scale to the nearest integers, ties to even; saturates, NaN becomes 0. Assembly, because
 * C has no conversion that rounds. */
static inline fours convert(const float *input, float inverse_scale)
{
    fours y;
    __asm__("vldmia %[input], {s0-s3}\n\t"
            "vmul.f32 s0, s0, %[scale]\n\t"
            "vmul.f32 s1, s1, %[scale]\n\t"
            "vmul.f32 s2, s2, %[scale]\n\t"
            "vmul.f32 s3, s3, %[scale]\n\t"
            "vcvtr.s32.f32 s0, s0\n\t"
            "vcvtr.s32.f32 s1, s1\n\t"
            "vcvtr.s32.f32 s2, s2\n\t"
            "vcvtr.s32.f32 s3, s3\n\t"
            "vmov %[a], %[b], s0, s1\n\t"
            "vmov %[c], %[d], s2, s3"
            : [a] "=r"(y.a), [b] "=r"(y.b), [c] "=r"(y.c), [d] "=r"(y.d)
            : [input] "r"(input), [scale] "t"(inverse_scale)
            : "s0", "s1", "s2", "s3", "memory");
    return y;
}

static inline int8_t finish(int32_t y, int32_t zero_point)
{
    return (int8_t)ct_clamp(__qadd(y, zero_point), INT8_MIN, INT8_MAX);
}

/* Outputs four by four. */
static void quantize(const ct_quantize_per_tensor_params *p, const float *input, int8_t *output,
                     uint32_t count)
{
    const int32_t zero_point = p->zero_point;
    const float inverse_scale = p->inverse_scale;
    for (const int8_t *end = output + count; output != end; output += 4) {
        const fours y = convert(input, inverse_scale);
        output[0] = finish(y.a, zero_point);
        output[1] = finish(y.b, zero_point);
        output[2] = finish(y.c, zero_point);
        output[3] = finish(y.d, zero_point);
        input += 4;
    }
}

ct_status ct_quantize_per_tensor_int8_dsp(const ct_quantize_per_tensor_params *p, const float *input,
                                          int8_t *output)
{
    const uint32_t rest = p->elements % 4, whole = p->elements - rest;
    quantize(p, input, output, whole);
    if (rest > 0) {
        float x[4] = {0};
        int8_t y[4];
        memcpy(x, input + whole, rest * sizeof *x);
        quantize(p, x, y, 4);
        memcpy(output + whole, y, rest);
    }
    ct_bound(output, (int32_t)p->elements, p->quant_min, p->quant_max);
    return CT_OK;
}

#else

ct_status ct_quantize_per_tensor_int8_dsp(const ct_quantize_per_tensor_params *p, const float *input,
                                          int8_t *output)
{
    return ct_quantize_per_tensor_int8(p, input, output);
}

#endif
