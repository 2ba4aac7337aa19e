#include "ct_broadcast.h"

/* Fills in the strides of one operand: its bytes have no gaps, and none for the dimensions that repeat. */
static void set_strides(uint32_t *strides, const uint32_t *sizes, uint8_t repeats)
{
    uint32_t stride = 1;
    for (int32_t d = CT_BROADCAST_RANK - 1; d >= 0; d--) {
        const int advances = ((repeats >> d) & 1) == 0;
        strides[d] = advances ? stride : 0;
        stride *= advances ? sizes[d] : 1;
    }
}

void ct_broadcast_begin(ct_broadcast *walk, const uint32_t *sizes, uint8_t a_repeats, uint8_t b_repeats)
{
    *walk = (ct_broadcast){.sizes = sizes, .count = sizes[CT_BROADCAST_RANK - 1]};
    set_strides(walk->a_strides, sizes, a_repeats);
    set_strides(walk->b_strides, sizes, b_repeats);
    walk->a_step = walk->a_strides[CT_BROADCAST_RANK - 1];
    walk->b_step = walk->b_strides[CT_BROADCAST_RANK - 1];
}

int ct_broadcast_next(ct_broadcast *walk)
{
    for (int32_t d = CT_BROADCAST_RANK - 2; d >= 0; d--) {
        walk->a += walk->a_strides[d];
        walk->b += walk->b_strides[d];
        if (++walk->index[d] < walk->sizes[d]) {
            return 1;
        }
        walk->a -= walk->a_strides[d] * walk->sizes[d];
        walk->b -= walk->b_strides[d] * walk->sizes[d];
        walk->index[d] = 0;
    }
    return 0;
}
