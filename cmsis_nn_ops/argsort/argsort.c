#include "argsort.h"
#include "ct_key.h"

/* Of element `i` of the input; smaller ones come first. */
static int64_t key_at(const ct_argsort_params *p, const void *input, uint32_t i)
{
    const int64_t key = ct_key_at(input, p->kind, i);
    return p->descending ? ~key : key;
}

/* Entries of the line from element `start` on that come before its entry `index`. */
static uint32_t rank(const ct_argsort_params *p, const void *input, uint32_t start, uint32_t index)
{
    const int64_t key = key_at(p, input, start + index * p->inner);
    uint32_t before = 0;
    for (uint32_t j = 0; j < p->length; j++) {
        const int64_t other = key_at(p, input, start + j * p->inner);
        before += other < key || (other == key && j < index);
    }
    return before;
}

ct_status ct_argsort(const ct_argsort_params *p, const void *input, int64_t *output)
{
    for (uint32_t line = 0; line < p->outer * p->inner; line++) {
        const uint32_t o = line / p->inner, i = line % p->inner;
        const uint32_t start = o * p->length * p->inner + i;
        int64_t *out = output + o * p->count * p->inner + i;
        for (uint32_t j = 0; j < p->length; j++) {
            const uint32_t place = rank(p, input, start, j) - p->first;
            if (place < p->count) { /* wraps for those in front of the first */
                out[place * p->inner] = j;
            }
        }
    }
    return CT_OK;
}

ct_status ct_argsort_first(const ct_argsort_params *p, const void *input, int64_t *output)
{
    for (uint32_t line = 0; line < p->outer * p->inner; line++) {
        const uint32_t start = line / p->inner * p->length * p->inner + line % p->inner;
        int64_t least = key_at(p, input, start);
        output[line] = 0;
        for (uint32_t j = 1; j < p->length; j++) {
            const int64_t key = key_at(p, input, start + j * p->inner);
            if (key < least) {
                least = key;
                output[line] = j;
            }
        }
    }
    return CT_OK;
}
