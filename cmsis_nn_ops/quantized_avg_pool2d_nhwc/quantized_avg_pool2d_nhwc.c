#include "quantized_avg_pool2d_nhwc.h"
#include "ct_requantize.h"
#include "ct_window.h"

/* Sum of channel `c` over the pixels rows x columns, which are inside the input. */
static int32_t sum_channel(const ct_quantized_avg_pool2d_nhwc_params *p, const int8_t *input, ct_range rows,
                           ct_range columns, int32_t c)
{
    int32_t sum = 0;
    for (int32_t y = rows.first; y < rows.end; y++) {
        for (int32_t x = columns.first; x < columns.end; x++) {
            sum += input[(y * p->input_width + x) * p->channels + c];
        }
    }
    return sum;
}

/* The window whose upper left corner is at (top, left) of one image. */
static void pool_pixel(const ct_quantized_avg_pool2d_nhwc_params *p, const int8_t *input, int32_t top,
                       int32_t left, int8_t *output)
{
    const ct_range rows = ct_pixels_inside(top, p->kernel_height, p->input_height);
    const ct_range columns = ct_pixels_inside(left, p->kernel_width, p->input_width);
    const int32_t count = (rows.end - rows.first) * (columns.end - columns.first);
    for (int32_t c = 0; c < p->channels; c++) {
        output[c] = (int8_t)ct_divide(sum_channel(p, input, rows, columns, c), count);
    }
}

ct_status ct_quantized_avg_pool2d_nhwc(const ct_quantized_avg_pool2d_nhwc_params *p, const int8_t *input,
                                       int8_t *output)
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
