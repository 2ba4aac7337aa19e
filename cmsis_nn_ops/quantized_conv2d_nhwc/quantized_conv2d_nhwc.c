#include "quantized_conv2d_nhwc.h"
#include "ct_dot.h"
#include "ct_requantize.h"
#include "ct_window.h"

/* Constants of the output channels. */
typedef struct channels {
    const int8_t *weight;
    const int32_t *bias; /* or NULL */
    const int32_t *multipliers, *shifts;
    int32_t filter_bytes;
} channels;

/* What of a window is inside the input: rows of pieces that are contiguous in the input and in a filter.
 * Elements: where the first one begins, and how far the next ones are. */
typedef struct window {
    int32_t rows, pieces, length;
    int32_t input_start, input_row, input_piece;
    int32_t weight_start, weight_row, weight_piece;
} window;

static window clip(const ct_quantized_conv2d_nhwc_params *p, int32_t top, int32_t left)
{
    const ct_range rows = ct_taps_inside(top, p->kernel_height, p->dilation_height, p->input_height);
    const ct_range columns = ct_taps_inside(left, p->kernel_width, p->dilation_width, p->input_width);
    const int32_t count = columns.end - columns.first;
    const int32_t taps = p->input_channels / p->groups;
    const int32_t y = top + rows.first * p->dilation_height;
    const int32_t x = left + columns.first * p->dilation_width;
    const uint32_t is_joined = p->groups == 1u && p->dilation_width == 1u;
    return (window){
        .rows = count > 0 ? rows.end - rows.first : 0,
        .pieces = is_joined ? 1 : count,
        .length = is_joined ? count * taps : taps,
        .input_start = (y * p->input_width + x) * p->input_channels,
        .input_row = p->dilation_height * p->input_width * p->input_channels,
        .input_piece = p->dilation_width * p->input_channels,
        .weight_start = (rows.first * p->kernel_width + columns.first) * taps,
        .weight_row = p->kernel_width * taps,
        .weight_piece = taps,
    };
}

/* input: the image's group of channels. */
static int32_t accumulate(const window *v, const int8_t *input, const int8_t *filter, int32_t offset)
{
    int32_t sum = 0;
    for (int32_t row = 0; row < v->rows; row++) {
        const int8_t *in = input + v->input_start + row * v->input_row;
        const int8_t *w = filter + v->weight_start + row * v->weight_row;
        for (int32_t piece = 0; piece < v->pieces; piece++) {
            sum += ct_dot(in + piece * v->input_piece, w + piece * v->weight_piece, v->length, offset);
        }
    }
    return sum;
}

static void accumulate_four(const window *v, const int8_t *input, const int8_t *filter, int32_t filter_bytes,
                            int32_t offset, int32_t sums[4])
{
    for (int32_t row = 0; row < v->rows; row++) {
        const int8_t *in = input + v->input_start + row * v->input_row;
        const int8_t *w = filter + v->weight_start + row * v->weight_row;
        for (int32_t piece = 0; piece < v->pieces; piece++) {
            ct_dot_four(in + piece * v->input_piece, w + piece * v->weight_piece, filter_bytes, v->length,
                        offset, sums);
        }
    }
}

static int8_t finish(const ct_quantized_conv2d_nhwc_params *p, const channels *c, int32_t o, int32_t acc)
{
    acc += c->bias != NULL ? c->bias[o] : 0;
    acc = ct_requantize(acc, c->multipliers[o], c->shifts[o]) + p->output_offset;
    return (int8_t)ct_clamp(acc, p->activation_min, p->activation_max);
}

/* Outputs [first, first + count) of a pixel: those of one group. */
static void compute_group(const ct_quantized_conv2d_nhwc_params *p, const channels *c, const window *v,
                          const int8_t *input, int32_t first, int32_t count, int8_t *output)
{
    const int32_t end = first + count;
    int32_t o = first;
    for (; o + 4 <= end; o += 4) {
        int32_t sums[4] = {0, 0, 0, 0};
        accumulate_four(v, input, c->weight + o * c->filter_bytes, c->filter_bytes, p->input_offset, sums);
        for (int32_t i = 0; i < 4; i++) {
            output[o + i] = finish(p, c, o + i, sums[i]);
        }
    }
    for (; o < end; o++) {
        const int32_t sum = accumulate(v, input, c->weight + o * c->filter_bytes, p->input_offset);
        output[o] = finish(p, c, o, sum);
    }
}

static void compute_pixel(const ct_quantized_conv2d_nhwc_params *p, const channels *c, const window *v,
                          const int8_t *input, int8_t *output)
{
    const int32_t group_inputs = p->input_channels / p->groups;
    const int32_t group_outputs = p->output_channels / p->groups;
    for (int32_t group = 0; group < p->groups; group++) {
        compute_group(p, c, v, input + group * group_inputs, group * group_outputs, group_outputs, output);
    }
}

ct_status ct_quantized_conv2d_nhwc(const ct_quantized_conv2d_nhwc_params *p, const int8_t *input,
                                   const int8_t *weight, const int32_t *bias,
                                   const int32_t *requantize_multipliers, const int32_t *requantize_shifts,
                                   int8_t *output)
{
    const int32_t filter_bytes = p->kernel_height * p->kernel_width * (p->input_channels / p->groups);
    const channels c = {weight, bias, requantize_multipliers, requantize_shifts, filter_bytes};
    for (int32_t n = 0; n < p->batches; n++) {
        for (int32_t y = 0; y < p->output_height; y++) {
            for (int32_t x = 0; x < p->output_width; x++) {
                const window v =
                    clip(p, y * p->stride_height - p->pad_top, x * p->stride_width - p->pad_left);
                compute_pixel(p, &c, &v, input, output);
                output += p->output_channels;
            }
        }
        input += p->input_height * p->input_width * p->input_channels;
    }
    return CT_OK;
}
