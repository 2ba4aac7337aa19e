#include "ct_bounds_dsp.h"
#include "quantized_depthwise_conv2d_nhwc_planes_dsp.h"
#include <arm_acle.h>
#include <string.h>

typedef ct_quantized_depthwise_conv2d_nhwc_params params;

#define CHANNELS CT_DEPTHWISE_CHANNELS

/* int32 words of a channel's constants before its weights: bias, multiplier, shift. */
#define CONSTANTS 3

typedef struct planes {
    uint32_t *data;
    int32_t pitch; /* words of a line */
    int32_t words; /* of a plane */
    uint32_t zero; /* four bytes of the input's zero point */
    uint32_t *taps;
} planes;

/* Bytes from a pixel to the next along a line, and from a line to the next. */
typedef struct steps {
    int32_t along, across;
} steps;

static steps steps_of(const params *p, int32_t height, int32_t width)
{
    const int32_t bytes = p->input_channels;
    return p->is_transposed ? (steps){height * bytes, bytes} : (steps){bytes, width * bytes};
}

static inline uint32_t load(const int8_t *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static inline uint32_t even(uint32_t bytes)
{
    return (uint32_t)__sxtb16((int8x4_t)bytes);
}

static inline uint32_t odd(uint32_t bytes)
{
    return (uint32_t)__sxtb16((int8x4_t)(bytes >> 8 | bytes << 24));
}

/* One word of each plane, from two neighbouring pixels. */
static void put(uint32_t *to, int32_t plane_words, uint32_t a, uint32_t b)
{
    const uint32_t low = (a & 0xFFFFu) | b << 16, high = a >> 16 | (b & 0xFFFF0000u);
    to[0] = even(low);
    to[plane_words] = odd(low);
    to[2 * plane_words] = even(high);
    to[3 * plane_words] = odd(high);
}

/* Puts `count` pairs of pixels. Assembly, because compilers do not see that two registers can address all
 * planes. */
static uint32_t *put_pairs(uint32_t *to, int32_t plane_words, const int8_t *from, int32_t step, int32_t count)
{
    __asm__ volatile("1:\n\t"
                     "ldr    r0, [%[from]]\n\t"
                     "ldr    r1, [%[from], %[step]]\n\t"
                     "add    %[from], %[from], %[step], lsl #1\n\t"
                     "pkhbt  r2, r0, r1, lsl #16\n\t"
                     "pkhtb  r0, r1, r0, asr #16\n\t"
                     "sxtb16 r1, r2, ror #8\n\t"
                     "sxtb16 r2, r2\n\t"
                     "str    r1, [%[to], %[plane]]\n\t"
                     "sxtb16 r1, r0\n\t"
                     "sxtb16 r0, r0, ror #8\n\t"
                     "str    r1, [%[to], %[plane], lsl #1]\n\t"
                     "str    r0, [%[to], %[three_planes]]\n\t"
                     "str    r2, [%[to]], #4\n\t"
                     "subs   %[count], #1\n\t"
                     "bgt    1b"
                     : [to] "+r"(to), [from] "+r"(from), [count] "+r"(count)
                     : [plane] "r"(4 * plane_words), [three_planes] "r"(12 * plane_words), [step] "r"(step)
                     : "r0", "r1", "r2", "cc", "memory");
    return to;
}

/* The pixels of a line; its borders are there already. */
static void load_line(const params *p, const planes *t, const int8_t *from, int32_t step, uint32_t *to)
{
    const int32_t words = t->words, room = 2 * t->pitch - p->pad_left;
    int32_t count = room < p->input_width ? room : p->input_width;
    if (count <= 0) {
        return;
    }
    to += p->pad_left / 2;
    if (p->pad_left % 2 != 0) {
        put(to++, words, t->zero, load(from));
        from += step;
        count--;
    }
    if (count >= 2) {
        to = put_pairs(to, words, from, step, count / 2);
    }
    if (count % 2 != 0) {
        put(to, words, load(from + (count - 1) * step), t->zero);
    }
}

static void fill(uint32_t *to, uint32_t value, int32_t count)
{
    for (; count > 0; count--) {
        *to++ = value;
    }
}

/* Loads `count` lines of four channels, the first of which is line `top` of the input. */
static void load_tile(const params *p, const planes *t, const int8_t *input, steps s, int32_t top,
                      int32_t count)
{
    uint32_t *to = t->data;
    for (int32_t y = top; y < top + count; y++) {
        if (y >= 0 && y < p->input_height) {
            load_line(p, t, input + y * s.across, s.along, to);
        } else if (p->tile_rows < p->output_height) { /* or else nobody has written there */
            for (int32_t i = 0; i < CHANNELS; i++) {
                fill(to + i * t->words, even(t->zero), t->pitch);
            }
        }
        to += t->pitch;
    }
}

/* One channel of a tile; the plane has what all channels share. */
static void compute_plane(const params *p, const ct_depthwise_method *method, const planes *t,
                          ct_depthwise_plane *l, const int32_t *constants)
{
    l->bias = constants[0];
    l->multiplier = constants[1];
    l->shift = constants[2];
    l->rounding = ct_rounding_dsp(p->output_offset, l->shift);
    method->pair_taps(p, constants + CONSTANTS, l, t->taps);
    method->compute(p, l);
}

/* Four channels, from the one on that the pointers belong to. */
static void compute_channels(const params *p, const ct_depthwise_method *method, const planes *t,
                             const int8_t *input, const int32_t *constants, int8_t *output)
{
    const steps in = steps_of(p, p->input_height, p->input_width),
                out = steps_of(p, p->output_height, p->output_width);
    const int32_t reach = (p->kernel_height - 1) * p->dilation_height + 1;
    ct_depthwise_plane l = {
        .output_step = out.along,
        .taps = t->taps,
        .taps_end = t->taps + p->tap_words,
        .pitch_bytes = 4 * t->pitch * p->dilation_height,
        .width = p->output_width,
        .x_line_bytes = 4 * t->pitch * p->stride_height,
        .output_line_bytes = out.across,
    };
    int32_t lines;
    for (int32_t y = 0; y < p->output_height; y += lines) {
        lines = p->output_height - y < p->tile_rows ? p->output_height - y : p->tile_rows;
        load_tile(p, t, input, in, y * p->stride_height - p->pad_top, (lines - 1) * p->stride_height + reach);
        for (int32_t i = 0; i < CHANNELS; i++) {
            l.x = t->data + i * t->words;
            l.output = output + y * out.across + i;
            l.lines = lines;
            compute_plane(p, method, t, &l, constants + i * p->channel_words);
        }
    }
}

ct_status ct_depthwise_dsp(const params *p, const ct_depthwise_method *method, const int8_t *input,
                           const int32_t *channels, int8_t *output, void *scratch)
{
    const int32_t tile_rows =
        (p->tile_rows - 1) * p->stride_height + (p->kernel_height - 1) * p->dilation_height + 1;
    const int32_t words = tile_rows * p->tile_pitch;
    const planes t = {
        .data = scratch,
        .pitch = p->tile_pitch,
        .words = words,
        .zero = (uint8_t)-p->input_offset * 0x01010101u,
        .taps = (uint32_t *)scratch + CHANNELS * words,
    };
    int8_t *const first = output;
    fill(t.data, even(t.zero), CHANNELS * words);
    for (int32_t n = 0; n < p->batches; n++) {
        for (int32_t c = 0; c < p->input_channels; c += CHANNELS) {
            /* The last four may overlap those before. */
            const int32_t o = c < p->input_channels - CHANNELS ? c : p->input_channels - CHANNELS;
            compute_channels(p, method, &t, input + o, channels + o * p->channel_words, output + o);
        }
        input += p->input_height * p->input_width * p->input_channels;
        output += p->output_height * p->output_width * p->input_channels;
    }
    ct_bound(first, output - first, p->activation_min, p->activation_max);
    return CT_OK;
}
