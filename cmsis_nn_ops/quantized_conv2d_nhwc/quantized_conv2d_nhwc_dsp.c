#include "ct_bounds_dsp.h"
#include "ct_matmul_dsp.h"
#include "ct_matmul_plain_dsp.h"
#include "ct_window.h"
#include "quantized_conv2d_nhwc.h"
#include <string.h>

typedef ct_quantized_conv2d_nhwc_params params;

/* Outputs are computed three by three, across the ends of rows. */
#define ROWS 3

/* An output's window. */
typedef struct window {
    int32_t top, left;
    const int8_t *corner; /* in the image; NULL where the window is not wholly inside, or has gaps */
} window;

/* Windows are widened part by part: row by row, or at once where rows are short or no multiples of four
 * bytes. */
typedef struct work {
    ct_multiply_dsp multiply;
    const int8_t *image;
    int32_t pitch;      /* bytes of an image row */
    int32_t copies_all; /* windows are dilated, or too small for copy_window */
    int32_t rows;       /* of a part */
    int32_t part_bytes; /* copies are filled up to a multiple of four, with whatever */
    uint32_t *wide;
    int8_t *copies; /* of parts that are not contiguous in the image */
} work;

static int8_t *copy(int8_t *to, const int8_t *from, int32_t count)
{
    for (; count >= 4; count -= 4) {
        memcpy(to, from, 4);
        to += 4;
        from += 4;
    }
    for (; count > 0; count--) {
        *to++ = *from++;
    }
    return to;
}

static int8_t *fill(int8_t *to, int8_t value, int32_t count)
{
    for (; count > 0; count--) {
        *to++ = value;
    }
    return to;
}

/* Copies `count` pixels of a row from column `left` on; those outside are real zeros. */
static int8_t *copy_pixels(const params *p, const int8_t *row, int32_t left, int32_t count, int8_t *to)
{
    const int32_t channels = p->input_channels;
    const int8_t zero = (int8_t)-p->input_offset;
    const ct_range inside = ct_pixels_inside(left, count, row != NULL ? p->input_width : 0);
    if (inside.first >= inside.end) {
        return fill(to, zero, count * channels);
    }
    to = fill(to, zero, (inside.first - left) * channels);
    to = copy(to, row + inside.first * channels, (inside.end - inside.first) * channels);
    return fill(to, zero, (left + count - inside.end) * channels);
}

/* A row's taps are neighbours, or one by one. */
static int8_t *copy_row(const params *p, const int8_t *row, int32_t left, int8_t *to)
{
    if (p->dilation_width == 1) {
        return copy_pixels(p, row, left, p->kernel_width, to);
    }
    for (int32_t kx = 0; kx < p->kernel_width; kx++) {
        to = copy_pixels(p, row, left + kx * p->dilation_width, 1, to);
    }
    return to;
}

/* Copies the part of a window that begins with row `ky`. */
static void copy_part(const params *p, const work *k, const window *w, int32_t ky, int8_t *to)
{
    for (int32_t i = 0; i < k->rows; i++) {
        const int32_t y = w->top + (ky + i) * p->dilation_height;
        const int32_t inside = y >= 0 && y < p->input_height;
        to = copy_row(p, inside ? k->image + y * k->pitch : NULL, w->left, to);
    }
}

/* The same from inside the image, faster: each row takes up to three bytes with it, which the next one
 * replaces. */
static void copy_window(const params *p, const work *k, const int8_t *from, int8_t *to)
{
    const int32_t row_bytes = p->kernel_width * p->input_channels;
    for (int32_t i = k->rows; i > 0; i--) {
        if (row_bytes > 8 && row_bytes <= 12) { /* as have three pixels of three channels */
            memcpy(to, from, 4);
            memcpy(to + 4, from + 4, 4);
            memcpy(to + 8, from + 8, 4);
        } else {
            for (int32_t j = 0; j < row_bytes; j += 4) {
                memcpy(to + j, from + j, 4);
            }
        }
        from += k->pitch;
        to += row_bytes;
    }
}

/* Part of a window, in the image or copied. */
static const int8_t *find_part(const params *p, const work *k, const window *w, int32_t ky, int8_t *copy)
{
    if (w->corner == NULL) {
        copy_part(p, k, w, ky, copy);
    } else if (k->rows == 1) {
        return w->corner + ky * k->pitch;
    } else {
        copy_window(p, k, w->corner, copy);
    }
    return copy;
}

/* The outputs of one window, or of three. */
static int8_t *compute(const params *p, const work *k, const window *w, int32_t count, int8_t *output)
{
    uint32_t *wide = k->wide;
    for (int32_t ky = 0; ky < p->kernel_height; ky += k->rows) {
        const int8_t *parts[ROWS];
        for (int32_t i = 0; i < count; i++) {
            parts[i] = find_part(p, k, &w[i], ky, k->copies + i * k->part_bytes);
        }
        wide = count == ROWS ? ct_widen_three(wide, parts, k->part_bytes)
                             : ct_widen(wide, parts[0], k->part_bytes);
    }
    if (count == ROWS) {
        k->multiply.three(k->multiply.matmul, k->wide, output);
    } else {
        k->multiply.row(k->multiply.matmul, k->wide, output);
    }
    return output + count * p->output_channels;
}

static int8_t *compute_image(const params *p, const work *k, int8_t *output)
{
    /* copy_window reads beyond a row, so it must not be the image's last one. */
    const int32_t last_top = p->input_height - p->kernel_height - (k->rows > 1);
    const int32_t last_left = p->input_width - p->kernel_width;
    window w[ROWS];
    int32_t count = 0;
    for (int32_t y = 0, top = -p->pad_top; y < p->output_height; y++, top += p->stride_height) {
        const int32_t rows_inside = top >= 0 && top <= last_top && !k->copies_all;
        for (int32_t x = 0, left = -p->pad_left; x < p->output_width; x++, left += p->stride_width) {
            const int32_t inside = rows_inside && left >= 0 && left <= last_left;
            const int8_t *corner = inside ? k->image + top * k->pitch + left * p->input_channels : NULL;
            w[count++] = (window){top, left, corner};
            if (count == ROWS) {
                output = compute(p, k, w, ROWS, output);
                count = 0;
            }
        }
    }
    for (int32_t i = 0; i < count; i++) {
        output = compute(p, k, &w[i], 1, output);
    }
    return output;
}

/* The same where windows are pixels that follow each other. */
static int8_t *compute_pixels(const params *p, const work *k, int8_t *output)
{
    const int8_t *pixel = k->image;
    const int32_t bytes = k->part_bytes, channels = p->output_channels;
    int32_t count = p->output_height * p->output_width;
    for (; count >= ROWS; count -= ROWS) {
        const int8_t *const pixels[ROWS] = {pixel, pixel + bytes, pixel + 2 * bytes};
        ct_widen_three(k->wide, pixels, bytes);
        k->multiply.three(k->multiply.matmul, k->wide, output);
        pixel += ROWS * bytes;
        output += ROWS * channels;
    }
    for (; count > 0; count--) {
        ct_widen(k->wide, pixel, bytes);
        k->multiply.row(k->multiply.matmul, k->wide, output);
        pixel += bytes;
        output += channels;
    }
    return output;
}

static void convolve(const params *p, ct_multiply_dsp multiply, const int8_t *input, int8_t *output,
                     void *scratch)
{
    const int32_t row_bytes = p->kernel_width * p->input_channels;
    const int32_t pitch = p->input_width * p->input_channels;
    const int32_t rows = p->parts_are_rows ? 1 : p->kernel_height;
    work k = {
        .multiply = multiply,
        .image = input,
        .pitch = pitch,
        .copies_all = p->dilation_height > 1 || p->dilation_width > 1 || (rows > 1 && pitch < 4),
        .rows = rows,
        .part_bytes = rows > 1 ? (rows * row_bytes + 3) & ~3 : row_bytes,
        .wide = scratch,
        .copies = (int8_t *)scratch + ROWS * CT_WIDE_BYTES(p->kernel_height * row_bytes),
    };
    int8_t *end = output;
    for (int32_t n = 0; n < p->batches; n++) {
        end = p->is_pointwise ? compute_pixels(p, &k, end) : compute_image(p, &k, end);
        k.image += p->input_height * pitch;
    }
    ct_bound(output, end - output, p->activation_min, p->activation_max);
}

static int32_t steps_of(const params *p)
{
    return (p->kernel_height * p->kernel_width * p->input_channels + 3) / 4;
}

ct_status ct_quantized_conv2d_nhwc_dsp(const params *p, const int8_t *input, const int32_t *filters,
                                       int8_t *output, void *scratch)
{
    const ct_matmul_dsp m = {
        .filters = filters,
        .channels = p->output_channels,
        .steps = steps_of(p),
        .output_offset = p->output_offset,
    };
    convolve(p, (ct_multiply_dsp){&m, ct_matmul_dsp_row, ct_matmul_dsp_three}, input, output, scratch);
    return CT_OK;
}

ct_status ct_quantized_conv2d_nhwc_plain_dsp(const params *p, const int8_t *input,
                                             const int8_t *padded_weight, const int32_t *folded_bias,
                                             const int32_t *requantize_multipliers,
                                             const int32_t *requantize_shifts, int8_t *output, void *scratch)
{
    const ct_matmul_plain_dsp m = {
        .weights = padded_weight,
        .bias = folded_bias,
        .multipliers = requantize_multipliers,
        .shifts = requantize_shifts,
        .channels = p->output_channels,
        .steps = steps_of(p),
        .output_offset = p->output_offset,
    };
    convolve(p, (ct_multiply_dsp){&m, ct_matmul_plain_dsp_row, ct_matmul_plain_dsp_three}, input, output,
             scratch);
    return CT_OK;
}
