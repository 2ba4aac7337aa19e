#include "ct_matmul_mve.h"
#include "convolution_mve.h"

typedef ct_quantized_conv2d_nhwc_params params;

/* One column of windows reads a strip of the input, which is copied together, borders included: then each
 * window is contiguous, and two windows share the rows in which they overlap. */
typedef struct strip {
    int8_t *data;
    int32_t rows;      /* of the padded input */
    int32_t row_bytes; /* kernel_width pixels */
} strip;

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
        ct_fill_strip_mve(s->data, s->rows * s->row_bytes, (int8_t)-p->input_offset);
    }
    ct_copy_rows_mve(to, s->row_bytes, input, input_row_bytes, bytes, count);
}

/* Column by column: outputs that lie below each other are computed together. */
static void compute_image(const params *p, const ct_matmul *m, const strip *s, const int8_t *input,
                          int8_t *output)
{
    const int32_t output_step = p->output_width * p->output_channels;
    for (int32_t x = 0; x < p->output_width; x++) {
        const int32_t left = x * p->stride_width - p->pad_left;
        if (p->in_place) {
            const int32_t step = p->stride_height * p->input_width * p->input_channels;
            ct_matmul_copied_mve(m, input + left * p->input_channels, step, p->output_height, p->copied_rows,
                                 output, output_step, s->data);
        } else {
            fill_strip(p, s, input, left);
            ct_matmul_mve(m, s->data, p->stride_height * s->row_bytes, p->output_height, output, output_step);
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
        .rows_per_pass = p->rows_per_pass,
        .sums = scratch,
    };
    const strip s = {
        .data = (int8_t *)scratch + CT_MATMUL_SUMS_BYTES(p->rows_per_pass),
        .rows = (p->output_height - 1) * p->stride_height + p->kernel_height,
        .row_bytes = row_bytes,
    };
    if (!p->in_place) {
        ct_fill_strip_mve(s.data, s.rows * s.row_bytes, (int8_t)-p->input_offset);
    }
    for (int32_t n = 0; n < p->batches; n++) {
        compute_image(p, &m, &s, input, output);
        input += p->input_height * p->input_width * p->input_channels;
        output += p->output_height * p->output_width * p->output_channels;
    }
    return CT_OK;
}
