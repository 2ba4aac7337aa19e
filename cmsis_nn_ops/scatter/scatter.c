#include "scatter.h"
#include "ct_key.h"
#include "ct_requantize.h"
#include <string.h>

static uint32_t bytes_of(uint8_t kind)
{
    return kind == CT_KEY_INT64 ? 8 : (kind == CT_KEY_INT32 || kind == CT_KEY_FLOAT32 ? 4 : 1);
}

/* Where entry c goes, counted in entries; -1 if an index is out of range. */
static int64_t place(const ct_scatter_params *p, const void *const *indices, uint32_t c)
{
    const uint8_t kind = p->index_bytes == 8 ? CT_KEY_INT64 : CT_KEY_INT32;
    int64_t at = 0;
    for (uint32_t axis = 0; axis < p->axes; axis++) {
        int64_t index = ct_key_at(indices[axis], kind, c);
        index += index < 0 ? p->sizes[axis] : 0;
        if (index < 0 || index >= p->sizes[axis]) {
            return -1;
        }
        at = at * p->sizes[axis] + index;
    }
    return at;
}

static void add(const ct_scatter_params *p, void *output, const void *values)
{
    for (uint32_t i = 0; i < p->entry; i++) {
        switch (p->kind) {
        case CT_KEY_INT8: {
            const int32_t sum = ((int8_t *)output)[i] + ((const int8_t *)values)[i] - p->zero_point;
            ((int8_t *)output)[i] = (int8_t)ct_clamp(sum, INT8_MIN, INT8_MAX);
            break;
        }
        case CT_KEY_INT32:
            ((uint32_t *)output)[i] += ((const uint32_t *)values)[i];
            break;
        case CT_KEY_INT64:
            ((uint64_t *)output)[i] += ((const uint64_t *)values)[i];
            break;
        default:
            ((float *)output)[i] += ((const float *)values)[i];
            break;
        }
    }
}

ct_status ct_scatter(const ct_scatter_params *p, const void *input, const void *const *indices,
                     const void *values, void *output)
{
    uint32_t rows = 1; /* entries of each outer one */
    for (uint32_t axis = 0; axis < p->axes; axis++) {
        rows *= p->sizes[axis];
    }
    const uint32_t entry_bytes = p->entry * bytes_of(p->kind);
    if (output != input) {
        memcpy(output, input, p->outer * rows * entry_bytes);
    }
    for (uint32_t o = 0; o < p->outer; o++) {
        for (uint32_t c = 0; c < p->count; c++) {
            const int64_t at = place(p, indices, c);
            if (at < 0) {
                return CT_ERR_ARGUMENT;
            }
            uint8_t *out = (uint8_t *)output + (o * rows + (uint32_t)at) * entry_bytes;
            const uint8_t *value = (const uint8_t *)values + (o * p->count + c) * entry_bytes;
            if (p->accumulate) {
                add(p, out, value);
            } else {
                memcpy(out, value, entry_bytes);
            }
        }
    }
    return CT_OK;
}
