#include "ct_elementwise.h"

/* Wraps to the dtype's range. */
static void store(void *data, ct_key_kind kind, uint32_t i, int64_t value)
{
    switch (kind) {
    case CT_KEY_INT8:
    case CT_KEY_UINT8:
        ((uint8_t *)data)[i] = (uint8_t)value;
        break;
    case CT_KEY_INT32:
        ((uint32_t *)data)[i] = (uint32_t)value;
        break;
    default:
        ((int64_t *)data)[i] = value;
        break;
    }
}

static void run_real(const ct_elementwise *function, ct_broadcast *walk, const float *a, const float *b,
                     float *output)
{
    do {
        for (uint32_t i = 0; i < walk->count; i++) {
            *output++ = function->real(a[walk->a + i * walk->a_step], b[walk->b + i * walk->b_step]);
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
            store(output, kind, done++, function->integer(x, y));
        }
    } while (ct_broadcast_next(walk));
    return CT_OK;
}
