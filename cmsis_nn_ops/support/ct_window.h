/* Clipping of sliding windows: which taps of a window fall inside the input. */
#ifndef CT_WINDOW_H
#define CT_WINDOW_H

#include <stdint.h>

/* Taps [first, end) along one axis; first >= end if all of them are outside. */
typedef struct ct_taps {
    int32_t first, end;
} ct_taps;

/* The taps t of `count` with 0 <= start + t * dilation < size. Loops once a tap outside, so it needs no division. */
static inline ct_taps ct_taps_inside(int32_t start, int32_t count, int32_t dilation, int32_t size)
{
    ct_taps taps = {0, count};
    while (taps.first < count && start + taps.first * dilation < 0) {
        taps.first++;
    }
    while (taps.end > taps.first && start + (taps.end - 1) * dilation >= size) {
        taps.end--;
    }
    return taps;
}

#endif
