#include "ct_bounds_dsp.h"
#include "ct_requantize.h"
#include <string.h>

void ct_bound(int8_t *data, int32_t count, int32_t low, int32_t high)
{
    if (low == INT8_MIN && high == INT8_MAX) {
        return;
    }
    const uint32_t lows = ct_fours_dsp(low), highs = ct_fours_dsp(high);
    for (; count >= 4; count -= 4) {
        uint32_t four;
        memcpy(&four, data, 4);
        four = ct_min_dsp(ct_max_dsp(four, lows), highs);
        memcpy(data, &four, 4);
        data += 4;
    }
    for (; count > 0; count--) {
        *data = (int8_t)ct_clamp(*data, low, high);
        data++;
    }
}
