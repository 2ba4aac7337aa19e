#include "quantized_depthwise_conv2d_nhwc.h"
#include "ct_dot.h"
#include "ct_requantize.h"
#include "ct_window.h"

/* Constants of the output channels. */
typedef struct channels {
    const int32_t *bias; /* or NULL */
    const int32_t *multipliers, *shifts;
} channels;

/* Taps of a window that are inside the input, and where the first of them lies. */
typedef struct window {
    int32_t rows, columns;
    int32_t input_start, weight_start; /* elements from channel 0; meaningless where rows or columns is 0 */
} window;

static window clip(const ct_quantized_depthwise_conv2d_nhwc_params *p, int32_t top, int32_t left)
{
    const ct_range rows = ct_taps_inside(top, p->kernel_height, p->dilation_height, p->input_height);
    const ct_range columns = ct_taps_inside(left, p->kernel_width, p->dilation_width, p->input_width);
    const int32_t y = top + rows.first * p->dilation_height;
    const int32_t x = left + columns.first * p->dilation_width;
    return (window){
        .rows = rows.end - rows.first,
        .columns = columns.end - columns.first,
        .input_start = (y * p->input_width + x) * p->input_channels,
        .weight_start =
            (rows.first * p->kernel_width + columns.first) * p->input_channels * p->depth_multiplier,
    };
}

/* Dot product of output channel `o`, which reads input channel `i`. */
static int32_t accumulate(const ct_quantized_depthwise_conv2d_nhwc_params *p, const int8_t *input,
                          const int8_t *weight, window v, int32_t i, int32_t o)
{
    const int32_t outputs = p->input_channels * p->depth_multiplier;
    const int32_t input_step = p->dilation_width * p->input_channels;
    const int32_t input_row = p->dilation_height * p->input_width * p->input_channels;
    int32_t acc = 0;
    for (int32_t ky = 0; ky < v.rows; ky++) {
        int32_t in = v.input_start + ky * input_row + i;
        int32_t w = v.weight_start + ky * p->kernel_width * outputs + o;
        for (int32_t kx = 0; kx < v.columns; kx++) {
            acc += (input[in] + p->input_offset) * weight[w];
            in += input_step;
            w += outputs;
        }
    }
    return acc;
}

/* Those of channels `o` to `o` + 3, where each input channel has one output. */
static void accumulate_four(const ct_quantized_depthwise_conv2d_nhwc_params *p, const int8_t *input,
                            const int8_t *weight, window v, int32_t o, int32_t sums[4])
{
    const int32_t input_step = p->dilation_width * p->input_channels;
    const int32_t input_row = p->dilation_height * p->input_width * p->input_channels;
    const int32_t weight_row = p->kernel_width * p->input_channels;
    for (int32_t ky = 0; ky < v.rows && v.columns > 0; ky++) {
        ct_dot_four_channels(input + v.input_start + ky * input_row + o,
                             weight + v.weight_start + ky * weight_row + o, v.columns, input_step,
                             p->input_channels, p->input_offset, sums);
    }
}

static int8_t finish(const ct_quantized_depthwise_conv2d_nhwc_params *p, const channels *c, int32_t o,
                     int32_t acc)
{
    acc += c->bias != NULL ? c->bias[o] : 0;
    acc = ct_requantize(acc, c->multipliers[o], c->shifts[o]) + p->output_offset;
    return (int8_t)ct_clamp(acc, p->activation_min, p->activation_max);
}

/* Channels in fours, where each has one output; returns how many that were. */
static int32_t compute_fours(const ct_quantized_depthwise_conv2d_nhwc_params *p, const int8_t *input,
                             const int8_t *weight, const channels *c, window v, int8_t *output)
{
    int32_t o = 0;
    for (; o + 4 <= p->input_channels; o += 4) {
        int32_t sums[4] = {0, 0, 0, 0};
        accumulate_four(p, input, weight, v, o, sums);
        for (int32_t i = 0; i < 4; i++) {
            output[o + i] = finish(p, c, o + i, sums[i]);
        }
    }
    return o;
}

static void compute_pixel(const ct_quantized_depthwise_conv2d_nhwc_params *p, const int8_t *input,
                          const int8_t *weight, const channels *c, window v, int8_t *output)
{
    int32_t o = p->depth_multiplier == 1u ? compute_fours(p, input, weight, c, v, output) : 0;
    for (int32_t i = o; i < p->input_channels; i++) {
        for (int32_t repeat = 0; repeat < p->depth_multiplier; repeat++, o++) {
            output[o] = finish(p, c, o, accumulate(p, input, weight, v, i, o));
        }
    }
}

ct_status ct_quantized_depthwise_conv2d_nhwc(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                                             const int8_t *input, const int8_t *weight, const int32_t *bias,
                                             const int32_t *requantize_multipliers,
                                             const int32_t *requantize_shifts, int8_t *output)
{
    const channels c = {bias, requantize_multipliers, requantize_shifts};
    for (int32_t n = 0; n < p->batches; n++) {
        for (int32_t y = 0; y < p->output_height; y++) {
            for (int32_t x = 0; x < p->output_width; x++) {
                const window v =
                    clip(p, y * p->stride_height - p->pad_top, x * p->stride_width - p->pad_left);
                compute_pixel(p, input, weight, &c, v, output);
                output += p->input_channels * p->depth_multiplier;
            }
        }
        input += p->input_height * p->input_width * p->input_channels;
    }
    return CT_OK;
}
