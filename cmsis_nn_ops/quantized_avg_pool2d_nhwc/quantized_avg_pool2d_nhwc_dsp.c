#include "ct_requantize.h"
#include "ct_window.h"
#include "quantized_avg_pool2d_nhwc.h"
#include <arm_acle.h>
#include <string.h>

typedef ct_quantized_avg_pool2d_nhwc_params params;

/* Sums of four channels, of which each has 16 bits: enough for 256 pixels. */
typedef struct sums {
    int16x2_t even, odd;
} sums;

static sums add_pixels(const params *p, const int8_t *pixel, int32_t rows, int32_t columns)
{
    sums s = {0, 0};
    const int32_t channels = p->channels, skipped = (p->input_width - columns) * channels;
    for (; rows > 0; rows--) {
        for (int32_t i = columns; i > 0; i--) {
            uint32_t four;
            memcpy(&four, pixel, 4);
            s.even = __sxtab16(s.even, (int8x4_t)four);
            s.odd = __sxtab16(s.odd, (int8x4_t)(four >> 8 | four << 24));
            pixel += channels;
        }
        pixel += skipped;
    }
    return s;
}

static void pool_pixel(const params *p, const int8_t *input, int32_t top, int32_t left, int8_t *output)
{
    const ct_range rows = ct_pixels_inside(top, p->kernel_height, p->input_height);
    const ct_range columns = ct_pixels_inside(left, p->kernel_width, p->input_width);
    const int32_t height = rows.end - rows.first, width = columns.end - columns.first;
    input += (rows.first * p->input_width + columns.first) * p->channels;
    for (int32_t next = 0; next < p->channels; next += 4) {
        const int32_t c = next < p->channels - 4 ? next : p->channels - 4; /* the last four may overlap */
        const sums s = add_pixels(p, input + c, height, width);
        output[c] = (int8_t)ct_divide((int16_t)s.even, height * width);
        output[c + 1] = (int8_t)ct_divide((int16_t)s.odd, height * width);
        output[c + 2] = (int8_t)ct_divide(s.even >> 16, height * width);
        output[c + 3] = (int8_t)ct_divide(s.odd >> 16, height * width);
    }
}

ct_status ct_quantized_avg_pool2d_nhwc_dsp(const params *p, const int8_t *input, int8_t *output)
{
    for (int32_t n = 0; n < p->batches; n++) {
        for (int32_t y = 0; y < p->output_height; y++) {
            for (int32_t x = 0; x < p->output_width; x++) {
                const int32_t top = y * p->stride_height - p->pad_top;
                const int32_t left = x * p->stride_width - p->pad_left;
                pool_pixel(p, input, top, left, output);
                output += p->channels;
            }
        }
        input += p->input_height * p->input_width * p->channels;
    }
    return CT_OK;
}
