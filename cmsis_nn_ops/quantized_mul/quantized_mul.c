#include "quantized_mul.h"
#include "ct_requantize.h"

/* `self` and `other` advance by their steps, 0 or 1, `output` by 1. */
static void mul(const ct_quantized_mul_params *p, const int8_t *self, uint32_t self_step, const int8_t *other,
                uint32_t other_step, int8_t *output, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const int32_t product = (*self - p->self_zero_point) * (*other - p->other_zero_point);
        const int32_t y =
            ct_requantize(product, p->output_multiplier, p->output_shift) + p->output_zero_point;
        output[i] = (int8_t)ct_clamp(y, INT8_MIN, INT8_MAX);
        self += self_step;
        other += other_step;
    }
}

ct_status ct_quantized_mul(const ct_quantized_mul_params *p, const int8_t *self, const int8_t *other,
                           int8_t *output)
{
    mul(p, self, 1, other, 1, output, ct_broadcast_elements(p->sizes));
    return CT_OK;
}

ct_status ct_quantized_mul_broadcast(const ct_quantized_mul_params *p, const int8_t *self,
                                     const int8_t *other, int8_t *output)
{
    ct_broadcast walk;
    ct_broadcast_begin(&walk, p->sizes, p->self_repeats, p->other_repeats);
    do {
        mul(p, self + walk.a, walk.a_step, other + walk.b, walk.b_step, output, walk.count);
        output += walk.count;
    } while (ct_broadcast_next(&walk));
    return CT_OK;
}
