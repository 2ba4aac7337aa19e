/* int8 softmax along one axis of [outer, length, inner]; the arithmetic is in ct_softmax_line.h. The output's
 * scale is 1/256 and its zero point -128. */
#ifndef CT_SOFTMAX_H
#define CT_SOFTMAX_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_softmax_params {
    uint32_t outer, inner;
    uint16_t length;    /* 1..4095 */
    int16_t diff_min;   /* -256..0; -diff_min << shift is at most 31 * 2^26 */
    int32_t multiplier; /* input scale * 2^26 = multiplier / 2^31 * 2^shift; at least 2^30 */
    uint8_t shift;      /* 0..31 */
} ct_softmax_params;

/* Portable. output may be input. */
ct_status ct_softmax(const ct_softmax_params *p, const int8_t *input, int8_t *output);

#endif
