#include "ct_window.h"
#include "quantized_avg_pool2d_nhwc.h"
#include <arm_mve.h>

typedef ct_quantized_avg_pool2d_nhwc_params params;

/* Sums of eight channels; the 16 bits of a lane hold 256 pixels. */
static int16x8_t sum(const params *p, const int8_t *pixel, int32_t rows, int32_t columns,
                     mve_pred16_t channels)
{
    int16x8_t total = vdupq_n_s16(0);
    for (int32_t y = 0; y < rows; y++) {
        const int8_t *x = pixel;
        for (int32_t i = 0; i < columns; i++) {
            total = vaddq_s16(total, vldrbq_z_s16(x, channels));
            x += p->channels;
        }
        pixel += p->input_width * p->channels;
    }
    return total;
}

/* Division by `count`, as a multiplication with its reciprocal, rounded up, in units of 2^-32: exact, because
 * |x| + count / 2 < 2^16 and count <= 2^8. */
typedef struct division {
    uint32_t reciprocal, half;
} division;

static division divide_by(int32_t count)
{
    /* The reciprocal of 1 does not fit: its quotient is one less than that of x + 1. */
    const division by_one = {UINT32_MAX, 1};
    return count == 1 ? by_one : (division){UINT32_MAX / (uint32_t)count + 1, (uint32_t)count / 2};
}

static int32x4_t divide(int32x4_t x, division d)
{
    const uint32x4_t magnitude = vaddq_n_u32(vreinterpretq_u32_s32(vabsq_s32(x)), d.half);
    const int32x4_t quotient = vreinterpretq_s32_u32(vmulhq_u32(magnitude, vdupq_n_u32(d.reciprocal)));
    return vnegq_m_s32(quotient, quotient, vcmpltq_n_s32(x, 0));
}

static void pool_pixel(const params *p, const int8_t *input, int32_t top, int32_t left, int8_t *output)
{
    const ct_range rows = ct_pixels_inside(top, p->kernel_height, p->input_height);
    const ct_range columns = ct_pixels_inside(left, p->kernel_width, p->input_width);
    const int32_t height = rows.end - rows.first, width = columns.end - columns.first;
    const division d = divide_by(height * width);
    input += (rows.first * p->input_width + columns.first) * p->channels;
    for (int32_t c = 0; c < p->channels; c += 8) {
        const mve_pred16_t channels = vctp16q((uint32_t)(p->channels - c));
        const int16x8_t total = sum(p, input + c, height, width, channels);
        const int32x4_t even = divide(vmovlbq_s16(total), d), odd = divide(vmovltq_s16(total), d);
        vstrbq_p_s16(output + c, vmovntq_s32(vmovnbq_s32(total, even), odd), channels);
    }
}

ct_status ct_quantized_avg_pool2d_nhwc_mve(const params *p, const int8_t *input, int8_t *output)
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
