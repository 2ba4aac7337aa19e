#include "minimum.h"
#include "ct_elementwise.h"

static int64_t integer(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static float real(float a, float b)
{
    return a < b || a != a ? a : b;
}

ct_status ct_minimum(const ct_minimum_params *p, const void *self, const void *other, void *output)
{
    static const ct_elementwise function = {integer, real, 0};
    ct_broadcast walk;
    ct_broadcast_begin(&walk, p->sizes, p->self_repeats, p->other_repeats);
    return ct_elementwise_run(&function, &walk, (ct_key_kind)p->kind, self, other, output);
}

ct_status ct_minimum_int8(const ct_minimum_params *p, const int8_t *self, const int8_t *other, int8_t *output)
{
    const uint32_t count = ct_broadcast_elements(p->sizes);
    for (uint32_t i = 0; i < count; i++) {
        output[i] = self[i] < other[i] ? self[i] : other[i];
    }
    return CT_OK;
}
