#include "ct_matmul_mve.h"
#include "ct_window.h"
#include "quantized_conv2d_nhwc.h"
#include <arm_mve.h>

typedef ct_quantized_conv2d_nhwc_params params;

/* One column of windows reads a strip of the input, which is copied together, borders included: then each
 * window is contiguous, and two windows share the rows in which they overlap. */
typedef struct strip {
    int8_t *data;
    int32_t rows;      /* of the padded input */
    int32_t row_bytes; /* kernel_width pixels */
} strip;

static void fill(int8_t *data, int32_t bytes, int8_t value)
{
    const int8x16_t values = vdupq_n_s8(value);
    for (; bytes > 0; bytes -= 16) {
        vstrbq_p_s8(data, values, vctp8q((uint32_t)bytes));
        data += 16;
    }
}

static void copy(int8_t *to, const int8_t *from, int32_t bytes)
{
    for (; bytes > 0; bytes -= 16) {
        const mve_pred16_t p = vctp8q((uint32_t)bytes);
        vstrbq_p_s8(to, vldrbq_z_s8(from, p), p);
        to += 16;
        from += 16;
    }
}

/* Copies `count` rows of up to 16 bytes. */
static void copy_rows(int8_t *to, int32_t to_step, const int8_t *from, int32_t from_step, int32_t count,
                      mve_pred16_t bytes)
{
    for (int32_t i = 0; i < count; i++) {
        vstrbq_p_s8(to, vldrbq_z_s8(from, bytes), bytes);
        to += to_step;
        from += from_step;
    }
}

/* Fills the strip of the windows that begin at column `left`; rows above and below the input are left alone.
 */
static void fill_strip(const params *p, const strip *s, const int8_t *input, int32_t left)
{
    const int32_t channels = p->input_channels;
    const int32_t input_row_bytes = p->input_width * channels;
    const ct_range columns = ct_pixels_inside(left, p->kernel_width, p->input_width);
    const int32_t bytes = (columns.end - columns.first) * channels;
    const int32_t below = s->rows - p->pad_top;
    const int32_t count = below < p->input_height ? below : p->input_height;
    int8_t *to = s->data + p->pad_top * s->row_bytes + (columns.first - left) * channels;
    input += columns.first * channels;
    if (bytes < s->row_bytes) {
        fill(s->data, s->rows * s->row_bytes, (int8_t)-p->input_offset);
    }
    for (int32_t i = 0; i < bytes; i += 16) {
        copy_rows(to + i, s->row_bytes, input + i, input_row_bytes, count, vctp8q((uint32_t)(bytes - i)));
    }
}

/* `count` outputs of a column; their windows lie `step` bytes apart. */
static void compute(const params *p, const ct_matmul *m, const int8_t *windows, int32_t step, int32_t count,
                    int32_t *sums, int8_t *output)
{
    const int32_t output_step = p->output_width * p->output_channels;
    while (count > 0) {
        const int32_t pass = count < p->rows_per_pass ? count : p->rows_per_pass;
        ct_matmul_mve(m, windows, step, pass, output, output_step, sums);
        windows += pass * step;
        output += pass * output_step;
        count -= pass;
    }
}

/* A column whose windows are contiguous as they are; the last of them may be too near the end of the input to
 * be read in whole vectors. */
static void compute_in_place(const params *p, const ct_matmul *m, int8_t *copies, const int8_t *input,
                             int32_t *sums, int8_t *output)
{
    const int32_t step = p->stride_height * p->input_width * p->input_channels;
    const int32_t count = p->output_height - p->copied_rows;
    compute(p, m, input, step, count, sums, output);
    if (p->copied_rows > 0) {
        copy(copies, input + count * step, p->copied_rows * step);
        output += count * p->output_width * p->output_channels;
        compute(p, m, copies, step, p->copied_rows, sums, output);
    }
}

static void compute_image(const params *p, const ct_matmul *m, const strip *s, const int8_t *input,
                          int32_t *sums, int8_t *output)
{
    for (int32_t x = 0; x < p->output_width; x++) {
        const int32_t left = x * p->stride_width - p->pad_left;
        if (p->in_place) {
            compute_in_place(p, m, s->data, input + left * p->input_channels, sums, output);
        } else {
            fill_strip(p, s, input, left);
            compute(p, m, s->data, p->stride_height * s->row_bytes, p->output_height, sums, output);
        }
        output += p->output_channels;
    }
}

ct_status ct_quantized_conv2d_nhwc_mve(const params *p, const int8_t *input, const int8_t *packed_weight,
                                       const ct_matmul_pair *channels, int8_t *output, void *scratch)
{
    const int32_t row_bytes = p->kernel_width * p->input_channels;
    const ct_matmul m = {
        .weights = packed_weight,
        .pairs = channels,
        .channels = p->output_channels,
        .chunks = (p->kernel_height * row_bytes + 15) / 16,
        .output_offset = p->output_offset,
        .activation_min = p->activation_min,
        .activation_max = p->activation_max,
    };
    const strip s = {
        .data = (int8_t *)scratch + CT_MATMUL_SUMS_BYTES(p->rows_per_pass),
        .rows = (p->output_height - 1) * p->stride_height + p->kernel_height,
        .row_bytes = row_bytes,
    };
    if (!p->in_place) {
        fill(s.data, s.rows * s.row_bytes, (int8_t)-p->input_offset);
    }
    for (int32_t n = 0; n < p->batches; n++) {
        compute_image(p, &m, &s, input, scratch, output);
        input += p->input_height * p->input_width * p->input_channels;
        output += p->output_height * p->output_width * p->output_channels;
    }
    return CT_OK;
}
