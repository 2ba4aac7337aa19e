#include "ct_requantize.h"
#include "depthwise_mve.h"
#include <arm_mve.h>

typedef ct_quantized_depthwise_conv2d_nhwc_params params;

/* The input as the strips see it. */
typedef struct source {
    const int8_t *image;  /* first channel of the block */
    const int8_t *border; /* 16 times the zero point */
    int32_t row_bytes;    /* from a row of pixels to the next, across the strips */
    int32_t pixel_bytes;  /* from a pixel to the next, along a strip */
    int32_t pixels;       /* of a row, as far as strips reach */
    uint32_t present;     /* channels of the block, as a predicate */
    int8_t *line;         /* scratch for one row of a block, with borders */
} source;

/* A row of pixels; the border's pixels are all the same. */
typedef struct row {
    const int8_t *pixel;
    int32_t step;
} row;

static row row_at(const params *p, const source *s, int32_t y)
{
    if (y < 0 || y >= p->input_height) {
        return (row){s->border, 0};
    }
    return (row){s->image + y * s->row_bytes, s->pixel_bytes};
}

/* `pixels` of four rows. Assembly, because compilers predicate each load on its own. */
static __attribute__((noinline)) void interleave(const row *rows, int32_t pixels, uint32_t present,
                                                 int8_t *words)
{
    row a = rows[0], b = rows[1], c = rows[2], d = rows[3];
    __asm__ volatile(
        "vmsr    p0, %[present]\n\t"
        "wls     lr, %[pixels], 2f\n"
        "1:\n\t"
        "vpstttt\n\t"
        "vldrbt.u8  q0, [%[a]]\n\t"
        "vldrbt.u8  q1, [%[b]]\n\t"
        "vldrbt.u8  q2, [%[c]]\n\t"
        "vldrbt.u8  q3, [%[d]]\n\t"
        "add     %[a], %[a_step]\n\t"
        "add     %[b], %[b_step]\n\t"
        "add     %[c], %[c_step]\n\t"
        "add     %[d], %[d_step]\n\t"
        "vst40.8 {q0, q1, q2, q3}, [%[words]]\n\t"
        "vst41.8 {q0, q1, q2, q3}, [%[words]]\n\t"
        "vst42.8 {q0, q1, q2, q3}, [%[words]]\n\t"
        "vst43.8 {q0, q1, q2, q3}, [%[words]]!\n\t"
        "le      lr, 1b\n"
        "2:"
        : [a] "+r"(a.pixel), [b] "+r"(b.pixel), [c] "+r"(c.pixel), [d] "+r"(d.pixel), [words] "+r"(words)
        : [a_step] "r"(a.step), [b_step] "r"(b.step), [c_step] "r"(c.step), [d_step] "r"(d.step),
          [pixels] "r"(pixels), [present] "r"(present)
        : "lr", "q0", "q1", "q2", "q3", "memory");
}

/* A strip whose words are along it: row `y`, with borders, at intervals of four dilated steps. */
static void fill_line(const params *p, const source *s, int32_t y, int8_t *words)
{
    const int32_t shift = CT_DEPTHWISE_BLOCK * p->dilation_width;
    row r = row_at(p, s, y);
    int8_t *to = s->line + p->pad_left * CT_DEPTHWISE_BLOCK;
    for (int32_t i = 0; i < s->pixels; i++) {
        vst1q_s8(to, vldrbq_z_s8(r.pixel, (mve_pred16_t)s->present));
        r.pixel += r.step;
        to += CT_DEPTHWISE_BLOCK;
    }
    row rows[4];
    for (int32_t i = 0; i < 4; i++) {
        rows[i] = (row){s->line + i * shift, CT_DEPTHWISE_BLOCK};
    }
    interleave(rows, p->strip_positions, s->present, words);
}

/* A strip from row `y` on: as many words across as a window needs. */
static void fill_strip(const params *p, const source *s, int32_t y, int8_t *words)
{
    const int32_t dilation = p->dilation_height;
    if (p->is_line) {
        fill_line(p, s, y, words);
        return;
    }
    words += p->pad_left * CT_DEPTHWISE_POSITION_BYTES;
    for (int32_t i = 0; i < p->window_words; i++) {
        row rows[4];
        for (int32_t k = 0; k < 4; k++) {
            rows[k] = row_at(p, s, y);
            y += dilation;
        }
        interleave(rows, s->pixels, s->present, words);
        words += p->strip_positions * CT_DEPTHWISE_POSITION_BYTES;
    }
}

static void fill(int8_t *data, int32_t bytes, int8x16_t value)
{
    for (; bytes > 0; bytes -= 16) {
        vst1q_s8(data, value);
        data += 16;
    }
}

/* The strips of a block, for all channels of an image. */
static void compute_strips(ct_depthwise_block *b, ct_depthwise_pass *pass, source *s, const int8_t *input,
                           const int8_t *weights, const ct_depthwise_channel *constants, int8_t *words,
                           int8_t *output, ct_depthwise_compute compute)
{
    const params *p = b->p;
    for (int32_t i = 0; i < p->input_channels; i += CT_DEPTHWISE_BLOCK) {
        const int32_t first = i * p->depth_multiplier, left = p->input_channels - i;
        s->image = input + i;
        s->present = vctp8q((uint32_t)left);
        b->weights = weights + first * p->weight_bytes;
        b->constants = constants + first;
        b->output = output + first + b->top * b->across_bytes;
        b->channels = left < CT_DEPTHWISE_BLOCK ? left : CT_DEPTHWISE_BLOCK;
        for (int32_t k = 0; k < b->strips; k++) {
            const int32_t y = (b->top + k * b->rows) * p->stride_height - p->pad_top;
            fill_strip(p, s, y, words + k * b->strip_bytes);
        }
        compute(b, pass);
    }
}

/* The next strips: as many as go together, or a last row. Plans them if they are not like those before. */
static void next_block(ct_depthwise_block *b, ct_depthwise_pass *pass, int32_t top, int32_t rows)
{
    const int32_t left = b->p->output_height - top, most = b->p->strips_per_block;
    const int32_t block_rows = left < rows ? left : rows;
    const int32_t strips = left / block_rows < most ? left / block_rows : most;
    const int is_alike = block_rows == b->rows && strips == b->strips;
    b->top = top;
    b->rows = block_rows;
    b->strips = strips;
    if (!is_alike) {
        ct_depthwise_plan_mve(b, pass);
    }
}

void ct_depthwise_strips_mve(const params *p, const int8_t *input, const int8_t *weights,
                             const ct_depthwise_channel *constants, const ct_depthwise_vector *vectors,
                             int8_t *output, int8_t *words, int32_t rows, ct_depthwise_compute compute)
{
    const int32_t channels = p->input_channels, outputs = channels * p->depth_multiplier;
    const int32_t row_pixels = p->strip_positions + (p->is_line ? 3 * p->dilation_width : 0);
    int8_t border[16];
    const int8x16_t zero_point = vdupq_n_s8((int8_t)-p->input_offset);
    vst1q_s8(border, zero_point);
    source s = {
        .border = border,
        .row_bytes = p->is_transposed ? channels : p->input_width * channels,
        .pixel_bytes = p->is_transposed ? p->input_height * channels : channels,
        .pixels = ct_clamp(row_pixels - p->pad_left, 0, p->input_width),
    };
    ct_depthwise_block b = {
        .p = p,
        .vectors = vectors,
        .words = words,
        .strip_bytes = p->window_words * p->strip_positions * CT_DEPTHWISE_POSITION_BYTES,
        .across_bytes = p->is_transposed ? outputs : p->output_width * outputs,
        .along_bytes = p->is_transposed ? p->output_height * outputs : outputs,
    };
    ct_depthwise_pass pass;
    s.line = words + p->strips_per_block * b.strip_bytes;
    fill(words, p->strips_per_block * b.strip_bytes, zero_point);
    if (p->is_line) {
        fill(s.line, row_pixels * CT_DEPTHWISE_BLOCK, zero_point);
    }
    for (int32_t n = 0; n < p->batches; n++) {
        for (int32_t y = 0; y < p->output_height; y += b.strips * b.rows) {
            next_block(&b, &pass, y, rows);
            compute_strips(&b, &pass, &s, input, weights, constants, words, output, compute);
        }
        input += p->input_height * p->input_width * channels;
        output += p->output_height * p->output_width * outputs;
    }
}
