#include "ct_requantize_dsp.h"
#include "quantized_mul.h"

typedef struct product {
    int32_t self_zero, other_zero; /* zero points, the first one twice */
    int32_t multiplier, rounding, shift;
} product;

static product product_of(const ct_quantized_mul_params *p)
{
    const int32_t shift = -p->output_shift - 1;
    return (product){
        .self_zero = 2 * p->self_zero_point,
        .other_zero = p->other_zero_point,
        .multiplier = p->output_multiplier,
        .rounding = ct_rounding_dsp(p->output_zero_point, shift),
        .shift = shift,
    };
}

/* `self` and `other` advance by their steps, 0 or 1, `output` by 1. */
static inline void mul(product m, const int8_t *self, uint32_t self_step, const int8_t *other,
                       uint32_t other_step, int8_t *output, uint32_t count)
{
    for (const int8_t *end = output + count; output != end; output++) {
        const int32_t twice = (2 * *self - m.self_zero) * (*other - m.other_zero);
        *output = ct_requantize_dsp(twice, m.multiplier, m.rounding, m.shift);
        self += self_step;
        other += other_step;
    }
}

ct_status ct_quantized_mul_dsp(const ct_quantized_mul_params *p, const int8_t *self, const int8_t *other,
                               int8_t *output)
{
    mul(product_of(p), self, 1, other, 1, output, ct_broadcast_elements(p->sizes));
    return CT_OK;
}

ct_status ct_quantized_mul_broadcast_dsp(const ct_quantized_mul_params *p, const int8_t *self,
                                         const int8_t *other, int8_t *output)
{
    const product m = product_of(p);
    ct_broadcast walk;
    ct_broadcast_begin(&walk, p->sizes, p->self_repeats, p->other_repeats);
    do {
        mul(m, self + walk.a, walk.a_step, other + walk.b, walk.b_step, output, walk.count);
        output += walk.count;
    } while (ct_broadcast_next(&walk));
    return CT_OK;
}
