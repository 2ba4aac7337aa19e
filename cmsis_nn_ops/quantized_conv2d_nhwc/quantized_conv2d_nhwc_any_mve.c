#include "convolution_mve.h"

typedef ct_quantized_conv2d_nhwc_params params;

/* Bytes from one element to the next. */
typedef struct steps {
    int32_t row, column;
} steps;

/* As that of ct_quantized_conv2d_nhwc_mve. If rows are dilated, windows share rows with those of every
 * phases-th output only: each phase has a strip of its own. */
typedef struct strip {
    int8_t *data;
    int32_t count;     /* rows, of the padded input */
    int32_t row_bytes; /* kernel_width taps */
    ct_range rows;     /* those inside the input */
} strip;

/* Fills the rows inside the input, of the windows that begin at column `left`; `input` is the first one's
 * first pixel. */
static void fill_strip(const params *p, const strip *s, const int8_t *input, steps input_steps, int32_t left)
{
    const int32_t kernel_width = p->kernel_width, tap_bytes = s->row_bytes / kernel_width;
    const int32_t input_tap_bytes = p->dilation_width * input_steps.column;
    const ct_range taps = ct_taps_inside(left, kernel_width, p->dilation_width, p->input_width);
    const int32_t together = input_tap_bytes == tap_bytes ? taps.end - taps.first : 1;
    const int32_t count = s->rows.end - s->rows.first;
    int8_t *to = s->data + s->rows.first * s->row_bytes;
    if (taps.end - taps.first < kernel_width) {
        ct_fill_strip_mve(to, count * s->row_bytes, (int8_t)-p->input_offset);
    }
    input += left * input_steps.column;
    for (int32_t t = taps.first; t < taps.end; t += together) {
        ct_copy_rows_mve(to + t * tap_bytes, s->row_bytes, input + t * input_tap_bytes,
                         p->dilation_height * input_steps.row, together * tap_bytes, count);
    }
}

/* The outputs of one phase, column by column. */
static void compute_phase(const params *p, ct_matmul m, strip s, const int8_t *input, steps input_steps,
                          int32_t phase, int8_t *output, steps output_steps)
{
    const int32_t top = phase * p->stride_height - p->pad_top;
    const int32_t outputs = (p->output_height - phase + p->phases - 1) / p->phases;
    const int32_t pairs = (m.channels + 1) / 2, group_channels = p->input_channels / p->groups;
    s.rows = ct_taps_inside(top, s.count, p->dilation_height, p->input_height);
    ct_fill_strip_mve(s.data, s.count * s.row_bytes, (int8_t)-p->input_offset);
    input += (top + s.rows.first * p->dilation_height) * input_steps.row;
    for (int32_t g = 0; g < p->groups; g++) {
        for (int32_t x = 0; x < p->output_width; x++) {
            fill_strip(p, &s, input, input_steps, x * p->stride_width - p->pad_left);
            ct_matmul_mve(&m, s.data, p->window_rows * s.row_bytes, outputs, output + x * output_steps.column,
                          p->phases * output_steps.row);
        }
        input += group_channels;
        output += m.channels;
        m.weights += pairs * m.chunks * 32;
        m.pairs += pairs;
    }
}

ct_status ct_quantized_conv2d_nhwc_any_mve(const params *p, const int8_t *input, const int8_t *packed_weight,
                                           const ct_matmul_pair *channels, int8_t *output, void *scratch)
{
    const int32_t inputs = p->input_channels, outputs = p->output_channels;
    const int32_t row_bytes = p->kernel_width * (inputs / p->groups);
    const steps input_steps = p->is_transposed ? (steps){inputs, p->input_height * inputs}
                                               : (steps){p->input_width * inputs, inputs};
    const steps output_steps = p->is_transposed ? (steps){outputs, p->output_height * outputs}
                                                : (steps){p->output_width * outputs, outputs};
    const ct_matmul m = {
        .weights = packed_weight,
        .pairs = channels,
        .channels = outputs / p->groups,
        .chunks = (p->kernel_height * row_bytes + 15) / 16,
        .output_offset = p->output_offset,
        .activation_min = p->activation_min,
        .activation_max = p->activation_max,
        .rows_per_pass = p->rows_per_pass,
        .sums = scratch,
    };
    const strip s = {
        .data = (int8_t *)scratch + CT_MATMUL_SUMS_BYTES(p->rows_per_pass),
        .count = (p->output_height - 1) / p->phases * p->window_rows + p->kernel_height,
        .row_bytes = row_bytes,
    };
    for (int32_t n = 0; n < p->batches; n++) {
        for (int32_t phase = 0; phase < p->phases; phase++) {
            compute_phase(p, m, s, input, input_steps, phase, output + phase * output_steps.row,
                          output_steps);
        }
        input += p->input_height * p->input_width * inputs;
        output += p->output_height * p->output_width * outputs;
    }
    return CT_OK;
}
