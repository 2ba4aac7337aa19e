#include "bagged_rows.h"
#include "ct_key.h"
#include "ct_requantize.h"

static int64_t number(const ct_bagged_rows_params *p, const void *data, uint32_t i)
{
    return ct_key_at(data, p->index_bytes == 8 ? CT_KEY_INT64 : CT_KEY_INT32, i);
}

static int indices_are_rows(const ct_bagged_rows_params *p, const void *indices)
{
    for (uint32_t i = 0; i < p->indices; i++) {
        const int64_t row = number(p, indices, i);
        if (row < 0 || row >= p->rows) {
            return 0;
        }
    }
    return 1;
}

/* One column of the bag of indices begin to end - 1. */
static int8_t reduced(const ct_bagged_rows_params *p, const int8_t *column, const void *indices,
                      uint32_t begin, uint32_t end)
{
    int32_t count = 0, sum = 0, largest = -255;
    for (uint32_t i = begin; i < end; i++) {
        const int64_t row = number(p, indices, i);
        if (row != p->padding_index) {
            const int32_t x = column[(uint32_t)row * p->columns] - p->weight_zero_point;
            count++;
            sum += x;
            largest = x > largest ? x : largest;
        }
    }
    const int32_t acc = count == 0 ? 0 : (p->mode == 2 ? largest : sum);
    const int32_t y = ct_divide(acc * 256, p->mode == 1 && count > 0 ? count : 1);
    const int32_t out = ct_requantize(y, p->multiplier, p->shift) + p->output_zero_point;
    return (int8_t)ct_clamp(out, INT8_MIN, INT8_MAX);
}

ct_status ct_bagged_rows(const ct_bagged_rows_params *p, const int8_t *weight, const void *indices,
                         const void *offsets, int8_t *output)
{
    if (!indices_are_rows(p, indices)) {
        return CT_ERR_ARGUMENT;
    }
    for (uint32_t b = 0; b < p->bags; b++) {
        const int64_t begin = number(p, offsets, b);
        const int64_t end = b + 1 < p->offsets ? number(p, offsets, b + 1) : p->indices;
        if (begin < 0 || end < begin || end > p->indices) {
            return CT_ERR_ARGUMENT;
        }
        for (uint32_t c = 0; c < p->columns; c++) {
            *output++ = reduced(p, weight + c, indices, (uint32_t)begin, (uint32_t)end);
        }
    }
    return CT_OK;
}
