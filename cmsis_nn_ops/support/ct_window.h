/* Clipping of sliding windows: what of a window falls inside the input, along one axis. */
#ifndef CT_WINDOW_H
#define CT_WINDOW_H

#include <stdint.h>

/* [first, end); empty if first >= end. */
typedef struct ct_range {
    int32_t first, end;
} ct_range;

/* The taps t of `count` with 0 <= start + t * dilation < size. Loops once a tap outside, which needs no
 * division. */
static inline ct_range ct_taps_inside(int32_t start, int32_t count, int32_t dilation, int32_t size)
{
    ct_range taps = {0, count};
    while (taps.first < count && start + taps.first * dilation < 0) {
        taps.first++;
    }
    while (taps.end > taps.first && start + (taps.end - 1) * dilation >= size) {
        taps.end--;
    }
    return taps;
}

/* The positions of an undilated window of `count` taps that are in [0, size). */
static inline ct_range ct_pixels_inside(int32_t start, int32_t count, int32_t size)
{
    const int32_t end = start + count;
    return (ct_range){start > 0 ? start : 0, end < size ? end : size};
}

#endif
