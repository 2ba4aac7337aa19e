#include "softmax.h"
#include "ct_softmax_line.h"
#include <stddef.h>

ct_status ct_softmax(const ct_softmax_params *p, const int8_t *input, int8_t *output)
{
    const ct_softmax_scale scale = {p->multiplier, p->diff_min, p->shift};
    for (uint32_t o = 0; o < p->outer; o++) {
        for (uint32_t i = 0; i < p->inner; i++) {
            ct_softmax_line(&scale, input + i, p->inner, p->length, NULL, 0, output + i);
        }
        input += p->length * p->inner;
        output += p->length * p->inner;
    }
    return CT_OK;
}
