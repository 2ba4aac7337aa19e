/* Numbers of every dtype as integers of the same order; the Python twin is cmsis_nn_ops/ordering.py. */
#ifndef CT_KEY_H
#define CT_KEY_H

#include <stdint.h>

typedef enum ct_key_kind {
    CT_KEY_INT8 = 0,
    CT_KEY_UINT8 = 1, /* truth values, too */
    CT_KEY_INT32 = 2,
    CT_KEY_INT64 = 3,
    CT_KEY_FLOAT32 = 4
} ct_key_kind;

#define CT_KEY_NAN INT64_MAX

/* NaN is the largest, and the two zeros are one. */
static inline int64_t ct_key_of_float(int32_t bits)
{
    const int32_t magnitude = bits & INT32_MAX;
    if (magnitude > 0x7f800000) {
        return CT_KEY_NAN;
    }
    return bits < 0 ? -magnitude : magnitude;
}

/* Element i of `data`. */
static inline int64_t ct_key_at(const void *data, uint8_t kind, uint32_t i)
{
    switch (kind) {
    case CT_KEY_INT8:
        return ((const int8_t *)data)[i];
    case CT_KEY_UINT8:
        return ((const uint8_t *)data)[i];
    case CT_KEY_INT32:
        return ((const int32_t *)data)[i];
    case CT_KEY_INT64:
        return ((const int64_t *)data)[i];
    default:
        return ct_key_of_float(((const int32_t *)data)[i]);
    }
}

/* Element i of integers or truth values; wraps to their range. */
static inline void ct_key_store(void *data, uint8_t kind, uint32_t i, int64_t value)
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

#endif
