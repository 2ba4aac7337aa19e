/* int8 softmax of one line of entries, computed as CMSIS-NN does:
 *
 *   e[j] = exp((in[j] - max) * scale) in Q0.31, 0 where in[j] - max < diff_min
 *   out[j] = min(256 * e[j] / sum(e) - 128, 127)
 *
 * The output's scale is 1/256 and its zero point -128. Where a shift by more than 31 bits follows from a
 * large sum, the quotient counts as 0.
 */
#ifndef CT_SOFTMAX_LINE_H
#define CT_SOFTMAX_LINE_H

#include <stdint.h>

typedef struct ct_softmax_scale {
    int32_t multiplier; /* input scale * 2^26 = multiplier / 2^31 * 2^shift; at least 2^30 */
    int16_t diff_min;   /* -256..0; -diff_min << shift is at most 31 * 2^26 */
    uint8_t shift;      /* 0..31 */
} ct_softmax_scale;

/* `length` entries, 1..4095, `step` apart; output may be input. Entries whose `excluded` is not 0 count as
 * minus infinity (NULL: all count); where no entry is left, all outputs are -128. */
void ct_softmax_line(const ct_softmax_scale *scale, const int8_t *input, uint32_t step, uint32_t length,
                     const uint8_t *excluded, uint32_t excluded_step, int8_t *output);

#endif
