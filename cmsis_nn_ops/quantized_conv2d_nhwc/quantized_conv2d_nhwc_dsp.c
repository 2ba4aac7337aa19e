#include "ct_bounds_dsp.h"
#include "ct_matmul_dsp.h"
#include "ct_window.h"
#include "quantized_conv2d_nhwc.h"
#include <string.h>

typedef ct_quantized_conv2d_nhwc_params params;

/* Outputs are computed three by three, across the ends of rows. */
#define ROWS 3

/* An output's window. */
typedef struct window {
    int32_t top, left;
    int32_t column;       /* of the output */
    const int8_t *corner; /* NULL where the window is not wholly inside the image, or has gaps */
} window;

/* Windows are widened part by part: row by row, or at once where rows are short or no multiples of four
 * bytes. */
typedef struct work {
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
        for (int32_t j = 0; j < row_bytes; j += 4) {
            memcpy(to + j, from + j, 4);
        }
        from += k->pitch;
        to += row_bytes;
    }
}

/* The window at `next`, which moves on. */
static window take(const params *p, const work *k, window *next)
{
    window w = *next;
    w.corner = NULL;
    next->left += p->stride_width;
    if (++next->column == p->output_width) {
        next->left = -p->pad_left;
        next->top += p->stride_height;
        next->column = 0;
    }
    /* copy_window reads beyond a row, so it must not be the image's last one. */
    const int32_t height = p->input_height - (k->rows > 1);
    if (w.top >= 0 && w.left >= 0 && w.top + p->kernel_height <= height &&
        w.left + p->kernel_width <= p->input_width && !k->copies_all) {
        w.corner = k->image + w.top * k->pitch + w.left * p->input_channels;
    }
    return w;
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

/* Widens the next one or three windows. */
static void widen(const params *p, const work *k, window *next, int32_t count)
{
    window w[ROWS];
    for (int32_t i = 0; i < count; i++) {
        w[i] = take(p, k, next);
    }
    uint32_t *wide = k->wide;
    for (int32_t ky = 0; ky < p->kernel_height; ky += k->rows) {
        const int8_t *parts[ROWS];
        for (int32_t i = 0; i < count; i++) {
            parts[i] = find_part(p, k, &w[i], ky, k->copies + i * k->part_bytes);
        }
        wide = count == ROWS ? ct_widen_three(wide, parts, k->part_bytes)
                             : ct_widen(wide, parts[0], k->part_bytes);
    }
}

/* As widen, where windows are pixels that follow each other. */
static void widen_pixels(const work *k, const int8_t *pixel, int32_t count)
{
    const int8_t *const pixels[ROWS] = {pixel, pixel + k->part_bytes, pixel + 2 * k->part_bytes};
    if (count == ROWS) {
        ct_widen_three(k->wide, pixels, k->part_bytes);
    } else {
        ct_widen(k->wide, pixel, k->part_bytes);
    }
}

static int8_t *compute_image(const params *p, const work *k, const ct_matmul_dsp *m, int8_t *output)
{
    window next = {.top = -p->pad_top, .left = -p->pad_left};
    const int8_t *pixel = k->image;
    int32_t rows;
    for (int32_t count = p->output_height * p->output_width; count > 0; count -= rows) {
        rows = count >= ROWS ? ROWS : 1;
        if (p->is_pointwise) {
            widen_pixels(k, pixel, rows);
            pixel += rows * k->part_bytes;
        } else {
            widen(p, k, &next, rows);
        }
        if (rows == ROWS) {
            ct_matmul_dsp_three(m, k->wide, output);
        } else {
            ct_matmul_dsp_row(m, k->wide, output);
        }
        output += rows * p->output_channels;
    }
    return output;
}

ct_status ct_quantized_conv2d_nhwc_dsp(const params *p, const int8_t *input, const int32_t *filters,
                                       int8_t *output, void *scratch)
{
    const int32_t row_bytes = p->kernel_width * p->input_channels;
    const int32_t features = p->kernel_height * row_bytes;
    const ct_matmul_dsp m = {
        .filters = filters,
        .channels = p->output_channels,
        .steps = (features + 3) / 4,
        .output_offset = p->output_offset,
    };
    const int32_t pitch = p->input_width * p->input_channels;
    const int32_t rows = p->parts_are_rows ? 1 : p->kernel_height;
    work k = {
        .image = input,
        .pitch = pitch,
        .copies_all = p->dilation_height > 1 || p->dilation_width > 1 || (rows > 1 && pitch < 4),
        .rows = rows,
        .part_bytes = rows > 1 ? (rows * row_bytes + 3) & ~3 : row_bytes,
        .wide = scratch,
        .copies = (int8_t *)scratch + ROWS * CT_WIDE_BYTES(features),
    };
    int8_t *end = output;
    for (int32_t n = 0; n < p->batches; n++) {
        end = compute_image(p, &k, &m, end);
        k.image += p->input_height * k.pitch;
    }
    ct_bound(output, end - output, p->activation_min, p->activation_max);
    return CT_OK;
}
