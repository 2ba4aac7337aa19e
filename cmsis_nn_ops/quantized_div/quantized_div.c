#include "quantized_div.h"
#include "ct_float.h"
#include "ct_requantize.h"

static int8_t quotient(const ct_quantized_div_params *p, int8_t self, int8_t other)
{
    const int32_t dividend = self - p->self_zero_point;
    const int32_t divisor = other - p->other_zero_point;
    const float q = divisor == 0 ? 0.0f : (float)dividend / (float)divisor;
    return (int8_t)ct_clamp(ct_nearest(q * p->output_scale) + p->output_zero_point, INT8_MIN, INT8_MAX);
}

ct_status ct_quantized_div(const ct_quantized_div_params *p, const int8_t *self, const int8_t *other,
                           int8_t *output)
{
    ct_broadcast walk;
    ct_broadcast_begin(&walk, p->sizes, p->self_repeats, p->other_repeats);
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            *output++ = quotient(p, self[walk.a + i * walk.a_step], other[walk.b + i * walk.b_step]);
        }
    } while (ct_broadcast_next(&walk));
    return CT_OK;
}
