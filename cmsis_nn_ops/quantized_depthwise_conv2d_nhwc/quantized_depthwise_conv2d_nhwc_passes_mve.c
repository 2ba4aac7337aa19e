#include "ct_requantize.h"
#include "depthwise_mve.h"

/* Ends of the last run, from the block's first window and output. */
typedef struct ends {
    int32_t window, output;
} ends;

/* Adds a run of `count` fours from output `x` of a strip on. */
static void add_run(const ct_depthwise_block *b, ct_depthwise_pass *pass, ends *e, int32_t strip, int32_t x,
                    int32_t count)
{
    const int32_t position = b->p->stride_width * CT_DEPTHWISE_POSITION_BYTES;
    const int32_t window = strip * b->strip_bytes + x * position;
    const int32_t output = strip * b->rows * b->across_bytes + x * b->along_bytes;
    ct_depthwise_run *run = &pass->runs[pass->run_count++];
    if (run != pass->runs) {
        run[-1].window_skip = window - e->window;
        run[-1].output_skip = output - e->output;
        run[-1].next = run;
    }
    *run = (ct_depthwise_run){.count = count, .next = pass->runs};
    e->window = window + count * (4 / b->rows) * position;
    e->output = output + count * (4 / b->rows) * b->along_bytes;
}

/* If the outputs along a strip are not a multiple of those that go together, the last ones overlap. */
static void plan_runs(const ct_depthwise_block *b, ct_depthwise_pass *pass)
{
    const int32_t along = 4 / b->rows, outputs = b->p->output_width;
    ends e = {0, 0};
    pass->run_count = 0;
    pass->present = outputs < along ? vctp32q((uint32_t)outputs) : 0xffff;
    for (int32_t strip = 0; strip < b->strips; strip++) {
        add_run(b, pass, &e, strip, 0, outputs < along ? 1 : outputs / along);
        if (outputs > along && outputs % along != 0) {
            add_run(b, pass, &e, strip, outputs - along, 1);
        }
    }
}

void ct_depthwise_plan_mve(const ct_depthwise_block *b, ct_depthwise_pass *pass)
{
    const ct_quantized_depthwise_conv2d_nhwc_params *p = b->p;
    const uint32_t along = 4 / (uint32_t)b->rows;
    const uint32x4_t lane = vidupq_n_u32(0, 1);
    const uint32x4_t column = vandq_u32(lane, vdupq_n_u32(along - 1));
    const uint32x4_t row = vshrq_n_u32(vsubq_u32(lane, column), 1);
    plan_runs(b, pass);
    pass->weight_bytes = p->weight_bytes;
    pass->step = (int32_t)along * b->along_bytes;
    pass->advance = (b->rows > 1 ? 2 : p->stride_width) * CT_DEPTHWISE_POSITION_BYTES;
    pass->offset = p->output_offset;
    pass->places = vmulq_n_u32(column, (uint32_t)b->along_bytes);
    pass->places = vaddq_u32(pass->places, vmulq_n_u32(row, (uint32_t)b->across_bytes));
    pass->low = vdupq_n_s32(p->activation_min);
    pass->high = vdupq_n_s32(p->activation_max);
    pass->columns =
        vmulq_n_u32(lane, (uint32_t)(CT_DEPTHWISE_POSITION_BYTES * p->dilation_width * (p->is_line ? 4 : 1)));
    pass->taps = vldrbq_u8(b->vectors[0].taps);
    pass->moved_taps = vldrbq_u8(b->vectors[b->rows - 1].taps);
}

/* One output channel, whatever its factor, one output after the other. A window is one vector; `words` are
 * those of the channel, `output` is its first one. */
static void compute_channel(const ct_depthwise_block *b, const ct_depthwise_pass *pass, const int8_t *words,
                            int8_t *output)
{
    const ct_quantized_depthwise_conv2d_nhwc_params *p = b->p;
    const int8x16_t weights = vldrbq_gather_offset_s8(pass->weights, pass->taps);
    const ct_depthwise_channel c = *pass->constants;
    const int32_t shift = pass->weights[0];
    for (int32_t i = 0; i < b->strips * b->rows; i++) {
        const int32_t strip = i / b->rows, row = i % b->rows;
        const int8_t *window = words + strip * b->strip_bytes;
        int8_t *y = output + i * b->across_bytes;
        for (int32_t x = 0; x < p->output_width; x++) {
            int32x4_t pixels = vldrwq_gather_offset_s32((const int32_t *)(const void *)window, pass->columns);
            pixels = vshlq_r_s32(pixels, -8 * row);
            const int32_t sum = vmladavaq_s8(c.bias, vreinterpretq_s8_s32(pixels), weights);
            *y = (int8_t)ct_clamp(ct_requantize(sum, c.multiplier, shift) + p->output_offset,
                                  p->activation_min, p->activation_max);
            window += p->stride_width * CT_DEPTHWISE_POSITION_BYTES;
            y += b->along_bytes;
        }
    }
}

void ct_depthwise_fours_mve(const ct_depthwise_block *b, ct_depthwise_pass *pass,
                            void (*compute)(ct_depthwise_pass *pass))
{
    const int32_t multiplier = b->p->depth_multiplier, outputs = b->channels * multiplier;
    const uint32_t first = (uint32_t)b->words - (uint32_t)pass->advance;
    pass->weights = b->weights;
    pass->constants = b->constants;
    pass->output = b->output;
    int32_t o = 0;
    while (o < outputs) {
        const int32_t count = multiplier == 1 ? outputs - o : 1;
        pass->channels = count;
        pass->window = first + (uint32_t)(4 * (o / multiplier));
        compute(pass);
        o += count - pass->channels;
        if (pass->channels > 0) {
            compute_channel(b, pass, b->words + 4 * (o / multiplier), b->output + o);
            o++;
            pass->weights += pass->weight_bytes;
            pass->constants++;
            pass->output++;
        }
    }
}
