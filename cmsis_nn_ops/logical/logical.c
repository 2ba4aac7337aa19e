#include "logical.h"

ct_status ct_logical(const ct_logical_params *p, const uint8_t *self, const uint8_t *other, uint8_t *output)
{
    ct_broadcast walk;
    ct_broadcast_begin(&walk, p->sizes, p->self_repeats, p->other_repeats);
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            const uint32_t a = self[walk.a + i * walk.a_step] != 0;
            const uint32_t b = other[walk.b + i * walk.b_step] != 0;
            *output++ = p->truth_table >> (2 * a + b) & 1;
        }
    } while (ct_broadcast_next(&walk));
    return CT_OK;
}
