#include "gather.h"
#include <string.h>

static int64_t index_at(const ct_gather_params *p, const void *index, uint32_t i)
{
    return p->index_bytes == 8 ? ((const int64_t *)index)[i] : ((const int32_t *)index)[i];
}

ct_status ct_gather(const ct_gather_params *p, const void *input, const void *index, void *output)
{
    const uint32_t step_bytes = p->entries * p->entry_bytes;
    const uint8_t *in = input;
    uint8_t *out = output;
    uint32_t first = 0; /* index of this outer entry */
    for (uint32_t o = 0; o < p->outer; o++) {
        for (uint32_t i = 0; i < p->count * p->entries; i++) {
            int64_t at = index_at(p, index, first + i);
            at += at < 0 ? p->length : 0;
            if (at < 0 || at >= p->length) {
                return CT_ERR_ARGUMENT;
            }
            memcpy(out, in + (uint32_t)at * step_bytes + i % p->entries * p->entry_bytes, p->entry_bytes);
            out += p->entry_bytes;
        }
        in += p->length * step_bytes;
        first += p->index_step;
    }
    return CT_OK;
}
