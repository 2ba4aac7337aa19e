#include "ct_requantize_mve.h"
#include "quantized_add.h"

/* How an operand becomes (x - zero_point) * unit * 2^16. */
typedef struct operand {
    int16_t zero_point, unit;
} operand;

static inline int16x8_t load(const int8_t *x, operand o)
{
    return vmulq_n_s16(vsubq_n_s16(vldrbq_s16(x), o.zero_point), o.unit);
}

/* `eights` times eight elements. The factor of `other` is a power of two, the sign of a factor is in its
 * unit. */
static __attribute__((noinline)) void add(const ct_quantized_add_params *p, const int8_t *self,
                                          const int8_t *other, int8_t *output, int32_t eights)
{
    /* Operands are multiples of 2^20. A factor of 1/2, for want of a shift, becomes 1/4 of multiples of 2^21.
     */
    const int32_t is_half = p->self_shift == 0, shift = is_half ? -1 : p->self_shift;
    const int32_t self_unit = is_half ? 32 : 16, other_unit = 8 >> -p->other_shift;
    const int32_t sign = p->self_multiplier < 0 ? -1 : 1, other_sign = p->other_multiplier < 0 ? -1 : 1;
    const int32_t multiplier = p->self_multiplier * sign;
    const operand a = {p->self_zero_point, (int16_t)(sign * self_unit)};
    const operand b = {p->other_zero_point, (int16_t)(other_sign * other_unit)};
    const int32_t output_multiplier = p->output_multiplier, output_shift = p->output_shift;
    const int16_t zero_point = p->output_zero_point;
    const int16x8_t low = vdupq_n_s16(p->activation_min), high = vdupq_n_s16(p->activation_max);
    for (; eights > 0; eights--) {
        const int16x8_t x = load(self, a), y = load(other, b);
        int32x4_t even = ct_requantize_mve(vshllbq_n_s16(x, 16), multiplier, shift);
        int32x4_t odd = ct_requantize_mve(vshlltq_n_s16(x, 16), multiplier, shift);
        even = vaddq_s32(even, vshllbq_n_s16(y, 16));
        odd = vaddq_s32(odd, vshlltq_n_s16(y, 16));
        even = ct_requantize_mve(even, output_multiplier, output_shift);
        odd = ct_requantize_mve(odd, output_multiplier, output_shift);
        int16x8_t sum = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), even), odd);
        sum = vqaddq_n_s16(sum, zero_point);
        vstrbq_s16(output, vminq_s16(vmaxq_s16(sum, low), high));
        self += 8;
        other += 8;
        output += 8;
    }
}

ct_status ct_quantized_add_mve(const ct_quantized_add_params *p, const int8_t *self, const int8_t *other,
                               int8_t *output)
{
    const uint32_t count = ct_broadcast_elements(p->sizes), whole = count / 8 * 8;
    add(p, self, other, output, (int32_t)(whole / 8));
    if (count > whole) {
        const mve_pred16_t rest = vctp16q(count - whole);
        int8_t x[8], y[8];
        vstrbq_s16(x, vldrbq_z_s16(self + whole, rest));
        vstrbq_s16(y, vldrbq_z_s16(other + whole, rest));
        add(p, x, y, x, 1);
        vstrbq_p_s16(output + whole, vldrbq_s16(x), rest);
    }
    return CT_OK;
}
