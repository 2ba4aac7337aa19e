#include "comparison.h"
#include "ct_key.h"

static uint8_t relation(uint8_t relation, int64_t a, int64_t b)
{
    const uint32_t outcome = a < b ? 0 : (a == b ? 1 : 2);
    return relation >> outcome & 1;
}

ct_status ct_comparison_int8(const ct_comparison_params *p, const int8_t *self, const int8_t *other,
                             uint8_t *output)
{
    ct_broadcast walk;
    ct_broadcast_begin(&walk, p->sizes, p->self_repeats, p->other_repeats);
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            const int32_t a = self[walk.a + i * walk.a_step] - p->self_zero_point;
            const int32_t b = other[walk.b + i * walk.b_step] - p->other_zero_point;
            *output++ =
                relation(p->relation, (int64_t)a * p->self_multiplier, (int64_t)b * p->other_multiplier);
        }
    } while (ct_broadcast_next(&walk));
    return CT_OK;
}

ct_status ct_comparison(const ct_comparison_params *p, const void *self, const void *other, uint8_t *output)
{
    const uint8_t with_nan = p->relation >> 3 & 1;
    const int is_float = p->kind == CT_KEY_FLOAT32;
    ct_broadcast walk;
    ct_broadcast_begin(&walk, p->sizes, p->self_repeats, p->other_repeats);
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            const int64_t a = ct_key_at(self, p->kind, walk.a + i * walk.a_step);
            const int64_t b = ct_key_at(other, p->kind, walk.b + i * walk.b_step);
            const int is_nan = is_float && (a == CT_KEY_NAN || b == CT_KEY_NAN);
            *output++ = is_nan ? with_nan : relation(p->relation, a, b);
        }
    } while (ct_broadcast_next(&walk));
    return CT_OK;
}
