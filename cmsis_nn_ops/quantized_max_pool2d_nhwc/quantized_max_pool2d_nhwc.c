#include "quantized_max_pool2d_nhwc.h"
#include "ct_window.h"

/* output[c] = max(output[c], input[c]) */
static void raise_to(int8_t *output, const int8_t *input, int32_t channels)
{
    for (int32_t c = 0; c < channels; c++) {
        output[c] = input[c] > output[c] ? input[c] : output[c];
    }
}

/* The window whose upper left corner is at (top, left) of one image. */
static void pool_pixel(const ct_quantized_max_pool2d_nhwc_params *p, const int8_t *input, int32_t top,
                       int32_t left, int8_t *output)
{
    const ct_range rows = ct_taps_inside(top, p->kernel_height, p->dilation_height, p->input_height);
    const ct_range columns = ct_taps_inside(left, p->kernel_width, p->dilation_width, p->input_width);
    for (int32_t c = 0; c < p->channels; c++) {
        output[c] = p->activation_min;
    }
    for (int32_t ky = rows.first; ky < rows.end; ky++) {
        for (int32_t kx = columns.first; kx < columns.end; kx++) {
            const int32_t y = top + ky * p->dilation_height;
            const int32_t x = left + kx * p->dilation_width;
            raise_to(output, input + (y * p->input_width + x) * p->channels, p->channels);
        }
    }
    for (int32_t c = 0; c < p->channels; c++) {
        output[c] = output[c] < p->activation_max ? output[c] : p->activation_max;
    }
}

ct_status ct_quantized_max_pool2d_nhwc(const ct_quantized_max_pool2d_nhwc_params *p, const int8_t *input,
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
