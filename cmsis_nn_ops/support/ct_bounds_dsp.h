/* Comparisons of int8 with the DSP extension, four at a time. */
#ifndef CT_BOUNDS_DSP_H
#define CT_BOUNDS_DSP_H

#include <stdint.h>

/* SEL chooses by the flags of SSUB8, of which compilers know nothing. */
static inline uint32_t ct_max_dsp(uint32_t a, uint32_t b)
{
    uint32_t larger;
    __asm__("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(larger) : "r"(a), "r"(b));
    return larger;
}

static inline uint32_t ct_min_dsp(uint32_t a, uint32_t b)
{
    uint32_t smaller;
    __asm__("ssub8 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(smaller) : "r"(a), "r"(b));
    return smaller;
}

static inline uint32_t ct_fours_dsp(int32_t byte)
{
    return (uint8_t)byte * 0x01010101u;
}

/* Activation bounds, applied to finished outputs: where they are narrower than int8, which is rare, that is
 * cheaper than in every requantization. */
void ct_bound(int8_t *data, int32_t count, int32_t low, int32_t high);

#endif
