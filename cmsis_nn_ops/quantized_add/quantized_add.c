#include "quantized_add.h"
#include "ct_requantize.h"

#define ONE (1 << 20) /* headroom of the operands while they are rescaled */

/* `self` and `other` advance by their steps, 0 or 1, `output` by 1. */
static void add(const ct_quantized_add_params *p, const int8_t *self, uint32_t self_step, const int8_t *other,
                uint32_t other_step, int8_t *output, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const int32_t a =
            ct_requantize((*self - p->self_zero_point) * ONE, p->self_multiplier, p->self_shift);
        const int32_t b =
            ct_requantize((*other - p->other_zero_point) * ONE, p->other_multiplier, p->other_shift);
        const int32_t y = ct_requantize(a + b, p->output_multiplier, p->output_shift) + p->output_zero_point;
        output[i] = (int8_t)ct_clamp(y, p->activation_min, p->activation_max);
        self += self_step;
        other += other_step;
    }
}

ct_status ct_quantized_add(const ct_quantized_add_params *p, const int8_t *self, const int8_t *other,
                           int8_t *output)
{
    add(p, self, 1, other, 1, output, ct_broadcast_elements(p->sizes));
    return CT_OK;
}

ct_status ct_quantized_add_broadcast(const ct_quantized_add_params *p, const int8_t *self,
                                     const int8_t *other, int8_t *output)
{
    ct_broadcast walk;
    ct_broadcast_begin(&walk, p->sizes, p->self_repeats, p->other_repeats);
    do {
        add(p, self + walk.a, walk.a_step, other + walk.b, walk.b_step, output, walk.count);
        output += walk.count;
    } while (ct_broadcast_next(&walk));
    return CT_OK;
}
