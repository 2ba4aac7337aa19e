#include "ct_bounds_dsp.h"
#include "ct_requantize.h"
#include <string.h>

/* Bytewise; SEL chooses by the flags of SSUB8, which the compiler does not know. */
static inline uint32_t at_least(uint32_t x, uint32_t low)
{
    uint32_t chosen;
    __asm__("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(chosen) : "r"(x), "r"(low));
    return chosen;
}

static inline uint32_t at_most(uint32_t x, uint32_t high)
{
    uint32_t chosen;
    __asm__("ssub8 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(chosen) : "r"(x), "r"(high));
    return chosen;
}

void ct_bound(int8_t *data, int32_t count, int32_t low, int32_t high)
{
    if (low == INT8_MIN && high == INT8_MAX) {
        return;
    }
    const uint32_t lows = (uint8_t)low * 0x01010101u, highs = (uint8_t)high * 0x01010101u;
    for (; count >= 4; count -= 4) {
        uint32_t four;
        memcpy(&four, data, 4);
        four = at_most(at_least(four, lows), highs);
        memcpy(data, &four, 4);
        data += 4;
    }
    for (; count > 0; count--) {
        *data = (int8_t)ct_clamp(*data, low, high);
        data++;
    }
}
