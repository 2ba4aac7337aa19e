#include "ct_requantize_mve.h"
#include "quantized_mul.h"

/* `eights` times eight elements. */
static __attribute__((noinline)) void multiply(const ct_quantized_mul_params *p, const int8_t *self,
                                               const int8_t *other, int8_t *output, int32_t eights)
{
    const int16_t self_zero_point = p->self_zero_point, other_zero_point = p->other_zero_point;
    const int16_t output_zero_point = p->output_zero_point;
    const int32_t multiplier = p->output_multiplier, shift = p->output_shift;
    for (; eights > 0; eights--) {
        const int16x8_t x = vsubq_n_s16(vldrbq_s16(self), self_zero_point);
        const int16x8_t y = vsubq_n_s16(vldrbq_s16(other), other_zero_point);
        const int32x4_t even = ct_requantize_mve(vmullbq_int_s16(x, y), multiplier, shift);
        const int32x4_t odd = ct_requantize_mve(vmulltq_int_s16(x, y), multiplier, shift);
        const int16x8_t product = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), even), odd);
        const int16x8_t sum = vqaddq_n_s16(product, output_zero_point);
        vstrbq_s16(output, vminq_s16(vmaxq_s16(sum, vdupq_n_s16(INT8_MIN)), vdupq_n_s16(INT8_MAX)));
        self += 8;
        other += 8;
        output += 8;
    }
}

ct_status ct_quantized_mul_mve(const ct_quantized_mul_params *p, const int8_t *self, const int8_t *other,
                               int8_t *output)
{
    const uint32_t count = ct_broadcast_elements(p->sizes), rest = count % 8, whole = count - rest;
    multiply(p, self, other, output, (int32_t)(whole / 8));
    if (rest) {
        const mve_pred16_t present = vctp16q(rest);
        int8_t x[8], y[8];
        vstrbq_s16(x, vldrbq_z_s16(self + whole, present));
        vstrbq_s16(y, vldrbq_z_s16(other + whole, present));
        multiply(p, x, y, x, 1);
        vstrbq_p_s16(output + whole, vldrbq_s16(x), present);
    }
    return CT_OK;
}
