#include "masked_softmax.h"
#include "ct_softmax_line.h"

ct_status ct_masked_softmax(const ct_masked_softmax_params *p, const int8_t *input, const uint8_t *mask,
                            int8_t *output)
{
    const ct_softmax_scale scale = {p->multiplier, p->diff_min, p->shift};
    const uint32_t mask_length = p->mask_step != 0 ? p->length : 1;
    ct_broadcast walk;
    ct_broadcast_begin(&walk, p->sizes, 0, p->mask_repeats);
    do {
        for (uint32_t i = 0; i < walk.count; i++) {
            const uint8_t *excluded = mask + (walk.b + i * walk.b_step) * mask_length;
            ct_softmax_line(&scale, input, 1, p->length, excluded, p->mask_step, output);
            input += p->length;
            output += p->length;
        }
    } while (ct_broadcast_next(&walk));
    return CT_OK;
}
