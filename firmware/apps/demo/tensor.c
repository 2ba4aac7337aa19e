#include "tensor.h"

#include "ct_text.h"

#define SHOWN_VALUES 10u
#define FLOAT_DIGITS 4u

typedef struct dtype {
    const char *name;
    uint8_t bytes;
} dtype;

static const dtype dtypes[] = {
    [CT_INT8] = {"int8", 1},   [CT_UINT8] = {"uint8", 1}, [CT_INT16] = {"int16", 2},
    [CT_INT32] = {"int32", 4}, [CT_INT64] = {"int64", 8}, [CT_FLOAT32] = {"float32", 4},
    [CT_BOOL] = {"bool", 1},
};

void demo_put_type(const ct_tensor_info *info)
{
    if (info->name != NULL) {
        ct_text(info->name);
        ct_text(" ");
    }
    ct_text(dtypes[info->dtype].name);
    ct_text("[");
    for (uint32_t i = 0; i < info->rank; i++) {
        ct_text(i == 0u ? "" : ",");
        ct_text_signed(info->shape[i]);
    }
    ct_text("]");
    if (info->scale != 0.0f) {
        ct_text(" scale ");
        ct_text_float(info->scale, 6);
        ct_text(" zero point ");
        ct_text_signed(info->zero_point);
    }
}

/* Element as an integer; of a 64-bit one, the low half. */
static int32_t integer_at(const ct_tensor_info *info, const void *data, uint32_t index)
{
    switch (info->dtype) {
    case CT_INT8:
        return ((const int8_t *)data)[index];
    case CT_INT16:
        return ((const int16_t *)data)[index];
    case CT_INT32:
        return ((const int32_t *)data)[index];
    case CT_INT64:
        return (int32_t)((const int64_t *)data)[index];
    default:
        return ((const uint8_t *)data)[index];
    }
}

static int is_greater(const ct_tensor_info *info, const void *data, uint32_t a, uint32_t b)
{
    if (info->dtype == CT_FLOAT32) {
        return ((const float *)data)[a] > ((const float *)data)[b];
    }
    return integer_at(info, data, a) > integer_at(info, data, b);
}

static void put_value(const ct_tensor_info *info, const void *data, uint32_t index)
{
    ct_text(" ");
    if (info->dtype == CT_FLOAT32) {
        ct_text_float(((const float *)data)[index], FLOAT_DIGITS);
    } else {
        ct_text_signed(integer_at(info, data, index));
    }
}

void demo_put_values(const ct_tensor_info *info, const void *data)
{
    const uint32_t count = info->bytes / dtypes[info->dtype].bytes;
    uint32_t top = 0;
    for (uint32_t i = 1; i < count; i++) {
        top = is_greater(info, data, i, top) ? i : top;
    }
    ct_text("top ");
    ct_text_unsigned(top);
    ct_text(" of:");
    for (uint32_t i = 0; i < count && i < SHOWN_VALUES; i++) {
        put_value(info, data, i);
    }
    ct_text(count > SHOWN_VALUES ? " ..." : "");
}
