#include "ct_window.h"
#include "quantized_max_pool2d_nhwc.h"
#include <arm_mve.h>

typedef ct_quantized_max_pool2d_nhwc_params params;

/* Largest values of 16 channels over `rows` by `columns` taps from `pixel` on. */
static int8x16_t largest(const params *p, const int8_t *pixel, int32_t rows, int32_t columns,
                         mve_pred16_t channels)
{
    const int32_t column_bytes = p->dilation_width * p->channels;
    const int32_t row_bytes = p->dilation_height * p->input_width * p->channels;
    int8x16_t best = vdupq_n_s8(p->activation_min);
    for (int32_t y = 0; y < rows; y++) {
        const int8_t *x = pixel;
        for (int32_t i = 0; i < columns; i++) {
            best = vmaxq_s8(best, vldrbq_z_s8(x, channels));
            x += column_bytes;
        }
        pixel += row_bytes;
    }
    return best;
}

static void pool_pixel(const params *p, const int8_t *input, int32_t top, int32_t left, int8_t *output)
{
    const ct_range rows = ct_taps_inside(top, p->kernel_height, p->dilation_height, p->input_height);
    const ct_range columns = ct_taps_inside(left, p->kernel_width, p->dilation_width, p->input_width);
    const int32_t y = top + rows.first * p->dilation_height, x = left + columns.first * p->dilation_width;
    const int8x16_t high = vdupq_n_s8(p->activation_max);
    input += (y * p->input_width + x) * p->channels;
    for (int32_t c = 0; c < p->channels; c += 16) {
        const mve_pred16_t channels = vctp8q((uint32_t)(p->channels - c));
        const int8x16_t best =
            largest(p, input + c, rows.end - rows.first, columns.end - columns.first, channels);
        vstrbq_p_s8(output + c, vminq_s8(best, high), channels);
    }
}

ct_status ct_quantized_max_pool2d_nhwc_mve(const params *p, const int8_t *input, int8_t *output)
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
