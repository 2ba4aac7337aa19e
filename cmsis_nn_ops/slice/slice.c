#include "slice.h"
#include <string.h>

ct_status ct_slice(const ct_slice_params *p, const void *input, void *output)
{
    const uint8_t *in = (const uint8_t *)input + p->begin;
    uint8_t *out = output;
    for (uint32_t o = 0; o < p->outer; o++) {
        for (uint32_t r = 0; r < p->rows; r++) {
            memcpy(out, in + o * p->outer_stride + r * p->row_stride, p->row_bytes);
            out += p->row_bytes;
        }
    }
    return CT_OK;
}
