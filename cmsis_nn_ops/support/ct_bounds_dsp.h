/* Activation bounds narrower than int8, applied to finished outputs four at a time: rarer, and cheaper than
 * in each requantization. */
#ifndef CT_BOUNDS_DSP_H
#define CT_BOUNDS_DSP_H

#include <stdint.h>

/* `data` is aligned to four bytes. */
void ct_bound(int8_t *data, int32_t count, int32_t low, int32_t high);

#endif
