#include "ct_bounds_dsp.h"
#include "ct_requantize_dsp.h"
#include "quantized_add.h"

#define ONE (1 << 20) /* headroom of the operands while they are rescaled */

/* What every element needs, twice as large as ct_requantize_dsp wants it. */
typedef struct sum {
    const int32_t *self; /* by value as uint8: rescaled, less the zero point of `other` */
    int32_t other_unit;  /* `other` times this is rescaled */
    int32_t multiplier, rounding, shift;
} sum;

static void rescale_all(const ct_quantized_add_params *p, int32_t other_unit, int32_t *table)
{
    for (int32_t i = 0; i <= UINT8_MAX; i++) {
        const int32_t x = ((int8_t)i - p->self_zero_point) * ONE;
        table[i] = 2 * ct_requantize(x, p->self_multiplier, p->self_shift) - p->other_zero_point * other_unit;
    }
}

static inline int8_t add(const sum *s, int8_t self, int8_t other)
{
    const int32_t twice = s->self[(uint8_t)self] + other * s->other_unit;
    return ct_requantize_dsp(twice, s->multiplier, s->rounding, s->shift);
}

ct_status ct_quantized_add_dsp(const ct_quantized_add_params *p, const int8_t *self, const int8_t *other,
                               int8_t *output, void *scratch)
{
    const uint32_t count = ct_broadcast_elements(p->sizes);
    const int32_t shift = -p->output_shift - 1;
    const int32_t half = ONE >> -p->other_shift;
    const sum s = {
        .self = scratch,
        .other_unit = p->other_multiplier < 0 ? -half : half,
        .multiplier = p->output_multiplier,
        .rounding = ct_rounding_dsp(p->output_zero_point, shift),
        .shift = shift,
    };
    rescale_all(p, s.other_unit, scratch);
    const int8_t *const end = output + count, *const whole = output + count / 4 * 4;
    int8_t *to = output;
    while (to != whole) {
        to[0] = add(&s, self[0], other[0]);
        to[1] = add(&s, self[1], other[1]);
        to[2] = add(&s, self[2], other[2]);
        to[3] = add(&s, self[3], other[3]);
        self += 4, other += 4, to += 4;
    }
    while (to != end) {
        *to++ = add(&s, *self++, *other++);
    }
    ct_bound(output, (int32_t)count, p->activation_min, p->activation_max);
    return CT_OK;
}
