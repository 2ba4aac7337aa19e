#include "where.h"

static void copy(void *output, uint32_t to, const void *input, uint32_t from, uint8_t entry_bytes)
{
    switch (entry_bytes) {
    case 1:
        ((uint8_t *)output)[to] = ((const uint8_t *)input)[from];
        break;
    case 4:
        ((uint32_t *)output)[to] = ((const uint32_t *)input)[from];
        break;
    default:
        ((uint64_t *)output)[to] = ((const uint64_t *)input)[from];
        break;
    }
}

ct_status ct_where(const ct_where_params *p, const uint8_t *condition, const void *self, const void *other,
                   void *output)
{
    ct_broadcast values, mask;
    ct_broadcast_begin(&values, p->sizes, p->self_repeats, p->other_repeats);
    ct_broadcast_begin(&mask, p->sizes, p->condition_repeats, p->condition_repeats);
    uint32_t done = 0;
    do {
        for (uint32_t i = 0; i < values.count; i++) {
            if (condition[mask.a + i * mask.a_step] != 0) {
                copy(output, done++, self, values.a + i * values.a_step, p->entry_bytes);
            } else {
                copy(output, done++, other, values.b + i * values.b_step, p->entry_bytes);
            }
        }
        ct_broadcast_next(&mask);
    } while (ct_broadcast_next(&values));
    return CT_OK;
}
