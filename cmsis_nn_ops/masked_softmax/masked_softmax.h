/* int8 softmax along the last axis, where a mask leaves entries out: they count as minus infinity and become
 * 0. The arithmetic is in ct_softmax_line.h. The output's scale is 1/256 and its zero point -128; rows of
 * which nothing is left are 0 throughout.
 */
#ifndef CT_MASKED_SOFTMAX_H
#define CT_MASKED_SOFTMAX_H

#include "ct_broadcast.h"
#include "ct_status.h"
#include <stdint.h>

typedef struct ct_masked_softmax_params {
    uint32_t sizes[CT_BROADCAST_RANK]; /* rows of the input, outermost first */
    int32_t multiplier;                /* these three as in ct_softmax_scale */
    int16_t diff_min;
    uint8_t shift;
    uint8_t mask_repeats; /* bit d: the mask has size 1 where sizes[d] counts */
    uint8_t mask_step;    /* 0: one entry of the mask serves a whole row; else 1 */
    uint16_t length;      /* of a row, 1..4095 */
} ct_masked_softmax_params;

/* Portable. mask: not 0 where an entry is left out. output may be input. */
ct_status ct_masked_softmax(const ct_masked_softmax_params *p, const int8_t *input, const uint8_t *mask,
                            int8_t *output);

#endif
