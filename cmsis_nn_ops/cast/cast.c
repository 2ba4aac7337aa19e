#include "cast.h"
#include "ct_float.h"
#include "ct_key.h"

static int64_t saturated(float x, uint8_t kind)
{
    static const int64_t lowest[] = {INT8_MIN, 0, INT32_MIN, INT64_MIN};
    static const int64_t highest[] = {INT8_MAX, UINT8_MAX, INT32_MAX, INT64_MAX};
    if (x != x) {
        return 0;
    }
    /* (float)INT64_MAX is 2^63: what is below it can be converted. */
    const int64_t y = x >= 0x1p63f ? INT64_MAX : (x < -0x1p63f ? INT64_MIN : (int64_t)x);
    return y < lowest[kind] ? lowest[kind] : (y > highest[kind] ? highest[kind] : y);
}

static int64_t integer_at(const ct_cast_params *p, const void *input, uint32_t i)
{
    if (p->from != CT_KEY_FLOAT32) {
        return ct_key_at(input, p->from, i);
    }
    const float x = ((const float *)input)[i];
    return p->to_bool ? x != 0.0f : saturated(x, p->to);
}

ct_status ct_cast(const ct_cast_params *p, const void *input, void *output)
{
    for (uint32_t i = 0; i < p->elements; i++) {
        if (p->to == CT_KEY_FLOAT32) {
            ((float *)output)[i] = (float)ct_key_at(input, p->from, i);
        } else {
            const int64_t x = integer_at(p, input, i);
            ct_key_store(output, p->to, i, p->to_bool ? x != 0 : x);
        }
    }
    return CT_OK;
}
