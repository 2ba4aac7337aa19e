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
} source;

/* A row of pixels; the border's pixels are all the same. */
typedef struct row {
    const int8_t *pixel;
    int32_t step;
} row;

static inline row row_at(const params *p, const source *s, int32_t y)
{
    if (y < 0 || y >= p->input_height) {
        return (row){s->border, 0};
    }
    return (row){s->image + y * s->row_bytes, s->pixel_bytes};
}

/* One word across, from row `y` on. Assembly, because compilers predicate each load on its own. */
static __attribute__((noinline)) void fill_words(const params *p, const source *s, int32_t y, int8_t *words)
{
    const int32_t dilation = p->dilation_height;
    row a = row_at(p, s, y), b = row_at(p, s, y + dilation);
    row c = row_at(p, s, y + 2 * dilation), d = row_at(p, s, y + 3 * dilation);
    words += p->pad_left * CT_DEPTHWISE_POSITION_BYTES;
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
          [pixels] "r"(s->pixels), [present] "r"(s->present)
        : "lr", "q0", "q1", "q2", "q3", "memory");
}

/* A strip from row `y` on: as many words across as a window needs. */
static void fill_strip(const params *p, const source *s, int32_t y, int8_t *words)
{
    for (int32_t i = 0; i < p->window_words; i++) {
        fill_words(p, s, y, words);
        y += 4 * p->dilation_height;
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
        b->output = output + first;
        b->channels = left < CT_DEPTHWISE_BLOCK ? left : CT_DEPTHWISE_BLOCK;
        for (int32_t k = 0; k < b->strips; k++) {
            const int32_t y = ct_depthwise_top(b, b->first_strip + k) * p->stride_height - p->pad_top;
            fill_strip(p, s, y, words + k * b->strip_bytes);
        }
        compute(b, pass);
    }
}

void ct_depthwise_strips_mve(const params *p, const int8_t *input, const int8_t *weights,
                             const ct_depthwise_channel *constants, const ct_depthwise_vector *vectors,
                             int8_t *output, int8_t *words, int32_t rows, ct_depthwise_compute compute)
{
    const int32_t channels = p->input_channels, outputs = channels * p->depth_multiplier;
    const int32_t reach = p->strip_positions - p->pad_left;
    int8_t border[16];
    const int8x16_t zero_point = vdupq_n_s8((int8_t)-p->input_offset);
    vst1q_s8(border, zero_point);
    source s = {
        .border = border,
        .row_bytes = p->is_transposed ? channels : p->input_width * channels,
        .pixel_bytes = p->is_transposed ? p->input_height * channels : channels,
        .pixels = ct_clamp(reach, 0, p->input_width),
    };
    ct_depthwise_block b = {
        .p = p,
        .vectors = vectors,
        .words = words,
        .rows = rows,
        .strip_bytes = p->window_words * p->strip_positions * CT_DEPTHWISE_POSITION_BYTES,
        .across_bytes = p->is_transposed ? outputs : p->output_width * outputs,
        .along_bytes = p->is_transposed ? p->output_height * outputs : outputs,
    };
    const int32_t strips = (p->output_height + rows - 1) / rows;
    ct_depthwise_pass pass;
    fill(words, p->strips_per_block * b.strip_bytes, zero_point);
    for (int32_t n = 0; n < p->batches; n++) {
        for (int32_t i = 0; i < strips; i += p->strips_per_block) {
            b.first_strip = i;
            b.strips = strips - i < p->strips_per_block ? strips - i : p->strips_per_block;
            /* Blocks are alike, but for the first one, which may overlap, and the last one, which may be
             * smaller. */
            if (i <= p->strips_per_block || b.strips < p->strips_per_block) {
                ct_depthwise_plan_mve(&b, &pass);
            }
            compute_strips(&b, &pass, &s, input, weights, constants, words, output, compute);
        }
        input += p->input_height * p->input_width * channels;
        output += p->output_height * p->output_width * outputs;
    }
}
