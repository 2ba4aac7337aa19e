#include "ct_bounds_dsp.h"
#include "ct_window.h"
#include "quantized_max_pool2d_nhwc.h"
#include <string.h>

typedef ct_quantized_max_pool2d_nhwc_params params;

/* Part of a window that is inside the input: its first pixel, and bytes from row to row and from tap to tap.
 */
typedef struct window {
    const int8_t *first;
    int32_t rows, columns;
    int32_t row_bytes, tap_bytes;
} window;

static window clip(const params *p, const int8_t *input, int32_t top, int32_t left)
{
    const ct_range rows = ct_taps_inside(top, p->kernel_height, p->dilation_height, p->input_height);
    const ct_range columns = ct_taps_inside(left, p->kernel_width, p->dilation_width, p->input_width);
    const int32_t y = top + rows.first * p->dilation_height, x = left + columns.first * p->dilation_width;
    return (window){
        .first = input + (y * p->input_width + x) * p->channels,
        .rows = rows.end - rows.first,
        .columns = columns.end - columns.first,
        .row_bytes = p->dilation_height * p->input_width * p->channels,
        .tap_bytes = p->dilation_width * p->channels,
    };
}

/* Maxima of four channels, at least `low`. */
static uint32_t maximum(const window *w, int32_t channel, uint32_t low)
{
    const int8_t *row = w->first + channel;
    for (int32_t y = w->rows; y > 0; y--) {
        const int8_t *pixel = row;
        for (int32_t x = w->columns; x > 0; x--) {
            uint32_t four;
            memcpy(&four, pixel, 4);
            low = ct_max_dsp(low, four);
            pixel += w->tap_bytes;
        }
        row += w->row_bytes;
    }
    return low;
}

ct_status ct_quantized_max_pool2d_nhwc_dsp(const params *p, const int8_t *input, int8_t *output)
{
    const uint32_t low = ct_fours_dsp(p->activation_min), high = ct_fours_dsp(p->activation_max);
    for (int32_t n = 0; n < p->batches; n++) {
        for (int32_t i = 0; i < p->output_height * p->output_width; i++) {
            const int32_t y = i / p->output_width, x = i % p->output_width;
            const window w =
                clip(p, input, y * p->stride_height - p->pad_top, x * p->stride_width - p->pad_left);
            for (int32_t next = 0; next < p->channels; next += 4) {
                const int32_t c =
                    next < p->channels - 4 ? next : p->channels - 4; /* the last four may overlap */
                const uint32_t four = ct_min_dsp(maximum(&w, c, low), high);
                memcpy(output + c, &four, 4);
            }
            output += p->channels;
        }
        input += p->input_height * p->input_width * p->channels;
    }
    return CT_OK;
}
