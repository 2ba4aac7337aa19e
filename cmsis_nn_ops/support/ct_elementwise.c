#include "ct_elementwise.h"
#include "ct_float.h"

/* Every NaN is this one: which one an FPU makes depends on the FPU. */
static float canonical(float x)
{
    return x != x ? ct_float_of(CT_FLOAT_NAN) : x;
}

static void run_real(const ct_elementwise *function, ct_broadcast *walk, const float *a, const float *b,
                     float *output)
{
    do {
        for (uint32_t i = 0; i < walk->count; i++) {
            const float x = a[walk->a + i * walk->a_step];
            const float y = b[walk->b + i * walk->b_step];
            *output++ = canonical(function->real(x, y));
        }
    } while (ct_broadcast_next(walk));
}

ct_status ct_elementwise_run(const ct_elementwise *function, ct_broadcast *walk, ct_key_kind kind,
                             const void *a, const void *b, void *output)
{
    if (kind == CT_KEY_FLOAT32) {
        run_real(function, walk, a, b, output);
        return CT_OK;
    }
    uint32_t done = 0;
    do {
        for (uint32_t i = 0; i < walk->count; i++) {
            const int64_t x = ct_key_at(a, (uint8_t)kind, walk->a + i * walk->a_step);
            const int64_t y = ct_key_at(b, (uint8_t)kind, walk->b + i * walk->b_step);
            if (y == 0 && function->divides) {
                return CT_ERR_ARGUMENT;
            }
            ct_key_store(output, (uint8_t)kind, done++, function->integer(x, y));
        }
    } while (ct_broadcast_next(walk));
    return CT_OK;
}
