#include "quantize_per_tensor.h"
#include <arm_mve.h>

/* `eights` times eight elements. The conversion rounds half to even, saturates, and makes NaN 0. */
static __attribute__((noinline)) void quantize(const ct_quantize_per_tensor_params *p, const float *input,
                                               int8_t *output, int32_t eights)
{
    const float inverse_scale = p->inverse_scale;
    const int16_t zero_point = p->zero_point;
    const int16x8_t low = vdupq_n_s16(p->quant_min), high = vdupq_n_s16(p->quant_max);
    for (; eights > 0; eights--) {
        const float32x4x2_t x = vld2q_f32(input);
        const int32x4_t even = vcvtnq_s32_f32(vmulq_n_f32(x.val[0], inverse_scale));
        const int32x4_t odd = vcvtnq_s32_f32(vmulq_n_f32(x.val[1], inverse_scale));
        int16x8_t y = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), even), odd);
        y = vqaddq_n_s16(y, zero_point);
        vstrbq_s16(output, vminq_s16(vmaxq_s16(y, low), high));
        input += 8;
        output += 8;
    }
}

ct_status ct_quantize_per_tensor_int8_mve(const ct_quantize_per_tensor_params *p, const float *input,
                                          int8_t *output)
{
    const uint32_t rest = p->elements % 8, whole = p->elements - rest;
    quantize(p, input, output, (int32_t)(whole / 8));
    if (rest) {
        float x[8];
        int8_t y[8];
        vst1q_f32(x, vldrwq_z_f32(input + whole, vctp32q(rest)));
        vst1q_f32(x + 4, vldrwq_z_f32(input + whole + 4, vctp32q(rest > 4 ? rest - 4 : 0)));
        quantize(p, x, y, 1);
        vstrbq_p_s16(output + whole, vldrbq_s16(y), vctp16q(rest));
    }
    return CT_OK;
}
