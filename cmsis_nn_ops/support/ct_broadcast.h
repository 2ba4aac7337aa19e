/* Walks two broadcast operands in the order of the output, one run of the innermost dimension at a time:
 *
 *     ct_broadcast walk;
 *     ct_broadcast_begin(&walk, p->sizes, p->self_repeats, p->other_repeats);
 *     do {
 *         f(self + walk.a, walk.a_step, other + walk.b, walk.b_step, out, walk.count);
 *         out += walk.count;
 *     } while (ct_broadcast_next(&walk));
 */
#ifndef CT_BROADCAST_H
#define CT_BROADCAST_H

#include <stdint.h>

#define CT_BROADCAST_RANK 6

typedef struct ct_broadcast {
    uint32_t a, b;           /* elements from the start of each operand to the current run */
    uint32_t a_step, b_step; /* 1, or 0 where the same element serves the whole run */
    uint32_t count;          /* elements of a run */
    const uint32_t *sizes;
    uint32_t index[CT_BROADCAST_RANK];
    uint32_t a_strides[CT_BROADCAST_RANK], b_strides[CT_BROADCAST_RANK];
} ct_broadcast;

/* `sizes`: CT_BROADCAST_RANK positive numbers, outermost first; they must outlive the walk. Bit d of
 * `a_repeats`: operand a does not advance along dimension d. */
void ct_broadcast_begin(ct_broadcast *walk, const uint32_t *sizes, uint8_t a_repeats, uint8_t b_repeats);

/* Elements of the output. */
static inline uint32_t ct_broadcast_elements(const uint32_t *sizes)
{
    uint32_t count = 1;
    for (int32_t d = 0; d < CT_BROADCAST_RANK; d++) {
        count *= sizes[d];
    }
    return count;
}

/* On to the next run; 0 after the last one. */
int ct_broadcast_next(ct_broadcast *walk);

#endif
