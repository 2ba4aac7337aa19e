/* What the Helium kernels of the convolution share: copies into strips. */
#ifndef CT_CONVOLUTION_MVE_H
#define CT_CONVOLUTION_MVE_H

#include "quantized_conv2d_nhwc.h"
#include "ct_window.h"
#include <arm_mve.h>

static inline void ct_fill_strip_mve(int8_t *data, int32_t bytes, int8_t value)
{
    const int8x16_t values = vdupq_n_s8(value);
    for (; bytes > 0; bytes -= 16) {
        vstrbq_p_s8(data, values, vctp8q((uint32_t)bytes));
        data += 16;
    }
}

/* Copies `bytes` of each of `count` rows, 16 at a time. */
static inline void ct_copy_rows_mve(int8_t *to, int32_t to_step, const int8_t *from, int32_t from_step,
                                    int32_t bytes, int32_t count)
{
    for (; bytes > 0; bytes -= 16) {
        const mve_pred16_t present = vctp8q((uint32_t)bytes);
        int8_t *y = to;
        const int8_t *x = from;
        for (int32_t i = 0; i < count; i++) {
            vstrbq_p_s8(y, vldrbq_z_s8(x, present), present);
            y += to_step;
            x += from_step;
        }
        to += 16;
        from += 16;
    }
}

#endif
