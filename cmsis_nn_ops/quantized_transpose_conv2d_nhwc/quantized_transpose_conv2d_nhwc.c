#include "quantized_transpose_conv2d_nhwc.h"
#include "ct_requantize.h"

typedef ct_quantized_transpose_conv2d_nhwc_params params;

/* The taps of one axis that reach an output position; tap i multiplies input position input + i * input_step.
 */
typedef struct taps {
    int32_t count;
    int32_t kernel, kernel_step;
    int32_t input, input_step; /* input_step <= 0 */
} taps;

typedef struct axis {
    int32_t input, kernel; /* sizes */
    int32_t stride, dilation, tap_step;
} axis;

/* `at`: output position plus the pad before it, so that at = input * stride + kernel * dilation. */
static taps taps_of(axis a, int32_t at)
{
    taps t = {.kernel_step = a.tap_step, .input_step = -(a.dilation * a.tap_step / a.stride)};
    while (t.kernel < a.tap_step && (at - t.kernel * a.dilation) % a.stride != 0) {
        t.kernel++;
    }
    if (t.kernel == a.tap_step) {
        return t;
    }
    while (t.kernel < a.kernel && at - t.kernel * a.dilation >= a.input * a.stride) {
        t.kernel += a.tap_step;
    }
    t.input = (at - t.kernel * a.dilation) / a.stride;
    for (int32_t k = t.kernel; k < a.kernel && at - k * a.dilation >= 0; k += a.tap_step) {
        t.count++;
    }
    return t;
}

/* Products of one output; `input`: the first channel of its group, `weight`: its filter. */
static int32_t accumulate(const params *p, const int8_t *input, const int8_t *weight, const taps *rows,
                          const taps *columns)
{
    const int32_t channels = p->input_channels / p->groups;
    int32_t acc = 0;
    for (int32_t i = 0; i < rows->count; i++) {
        const int32_t y = rows->input + i * rows->input_step;
        const int32_t ky = rows->kernel + i * rows->kernel_step;
        for (int32_t j = 0; j < columns->count; j++) {
            const int32_t x = columns->input + j * columns->input_step;
            const int32_t kx = columns->kernel + j * columns->kernel_step;
            const int8_t *in = input + (y * p->input_width + x) * p->input_channels;
            const int8_t *w = weight + (ky * p->kernel_width + kx) * channels;
            for (int32_t c = 0; c < channels; c++) {
                acc += (in[c] + p->input_offset) * w[c];
            }
        }
    }
    return acc;
}

ct_status ct_quantized_transpose_conv2d_nhwc(const params *p, const int8_t *input, const int8_t *weight,
                                             const int32_t *bias, const int32_t *requantize_multipliers,
                                             const int32_t *requantize_shifts, int8_t *output)
{
    const int32_t group_inputs = p->input_channels / p->groups;
    const int32_t group_outputs = p->output_channels / p->groups;
    const int32_t filter_bytes = p->kernel_height * p->kernel_width * group_inputs;
    const axis vertical = {p->input_height, p->kernel_height, p->stride_height, p->dilation_height,
                           p->tap_step_height};
    const axis horizontal = {p->input_width, p->kernel_width, p->stride_width, p->dilation_width,
                             p->tap_step_width};
    for (int32_t n = 0; n < p->batches; n++) {
        for (int32_t y = 0; y < p->output_height; y++) {
            const taps rows = taps_of(vertical, y + p->pad_top);
            for (int32_t x = 0; x < p->output_width; x++) {
                const taps columns = taps_of(horizontal, x + p->pad_left);
                for (int32_t o = 0; o < p->output_channels; o++) {
                    const int8_t *first = input + o / group_outputs * group_inputs;
                    int32_t acc = accumulate(p, first, weight + o * filter_bytes, &rows, &columns);
                    acc += bias != NULL ? bias[o] : 0;
                    acc = ct_requantize(acc, requantize_multipliers[o], requantize_shifts[o]) +
                          p->output_offset;
                    *output++ = (int8_t)ct_clamp(acc, p->activation_min, p->activation_max);
                }
            }
        }
        input += p->input_height * p->input_width * p->input_channels;
    }
    return CT_OK;
}
