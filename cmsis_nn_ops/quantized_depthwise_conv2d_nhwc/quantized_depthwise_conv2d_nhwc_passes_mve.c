#include "ct_requantize.h"
#include "depthwise_mve.h"

/* The runs of a strip: if its outputs are not a multiple of the `along` that go together, the last ones
 * overlap. */
static void plan_runs(const ct_depthwise_block *b, ct_depthwise_pass *pass, int32_t rows, int32_t along)
{
    const int32_t outputs = b->p->output_width, whole = outputs / along * along;
    const int32_t back = outputs - along - whole;
    const int32_t position = b->p->stride_width * CT_DEPTHWISE_POSITION_BYTES;
    const int32_t end = outputs < along ? along : outputs;
    ct_depthwise_run *last = &pass->runs[0];
    last->count = outputs < along ? 1 : whole / along;
    pass->run_count = b->strips;
    pass->present = outputs < along ? vctp32q((uint32_t)outputs) : 0xffff;
    if (outputs > whole && outputs > along) {
        last->window_skip = back * position;
        last->output_skip = back * b->along_bytes;
        last->next = last + 1;
        pass->run_count *= 2;
        last++;
        last->count = 1;
    }
    last->window_skip = b->strip_bytes - end * position;
    last->output_skip = rows * b->across_bytes - end * b->along_bytes;
    last->next = &pass->runs[0];
}

static void plan_pass(const ct_depthwise_block *b, ct_depthwise_pass *pass, int32_t rows)
{
    const ct_quantized_depthwise_conv2d_nhwc_params *p = b->p;
    const int32_t along = 4 / rows;
    const uint32x4_t lane = vidupq_n_u32(0, 1);
    const uint32x4_t column = vandq_u32(lane, vdupq_n_u32((uint32_t)along - 1));
    const uint32x4_t row = vshrq_n_u32(vsubq_u32(lane, column), 1);
    plan_runs(b, pass, rows, along);
    pass->weights = b->weights;
    pass->constants = b->constants;
    pass->output = b->output;
    pass->weight_bytes = p->weight_bytes;
    pass->step = along * b->along_bytes;
    pass->offset = p->output_offset;
    pass->places = vmulq_n_u32(column, (uint32_t)b->along_bytes);
    pass->places = vaddq_u32(pass->places, vmulq_n_u32(row, (uint32_t)b->across_bytes));
    pass->low = vdupq_n_s32(p->activation_min);
    pass->high = vdupq_n_s32(p->activation_max);
    pass->columns = vmulq_n_u32(lane, CT_DEPTHWISE_POSITION_BYTES);
    pass->taps = vldrbq_u8(b->vectors[0].taps);
    pass->moved_taps = vldrbq_u8(b->vectors[rows - 1].taps);
}

/* Output channel `o` of the block, whatever its factor, one output after the other. A window is one vector.
 */
static void compute_channel(const ct_depthwise_block *b, const ct_depthwise_pass *pass, int32_t rows,
                            int32_t o)
{
    const ct_quantized_depthwise_conv2d_nhwc_params *p = b->p;
    const int8x16_t weights = vldrbq_gather_offset_s8(pass->weights, pass->taps);
    const int32_t multiplier = pass->constants->multiplier, shift = pass->weights[0];
    const int8_t *words = b->words + 4 * (o / p->depth_multiplier);
    for (int32_t i = 0; i < b->strips * rows * p->output_width; i++) {
        const int32_t x = i % p->output_width, y = i / p->output_width;
        const int32_t window = y / rows * b->strip_bytes + x * p->stride_width * CT_DEPTHWISE_POSITION_BYTES;
        const int32_t *first = (const int32_t *)(const void *)(words + window);
        const int32x4_t pixels = vshlq_r_s32(vldrwq_gather_offset_s32(first, pass->columns), -8 * (y % rows));
        int32_t sum = vmladavaq_s8(pass->constants->bias, vreinterpretq_s8_s32(pixels), weights);
        sum = ct_requantize(sum, multiplier, shift) + p->output_offset;
        b->output[y * b->across_bytes + x * b->along_bytes + o] =
            (int8_t)ct_clamp(sum, p->activation_min, p->activation_max);
    }
}

void ct_depthwise_fours_mve(const ct_depthwise_block *b, int32_t rows,
                            void (*compute)(ct_depthwise_pass *pass))
{
    const int32_t multiplier = b->p->depth_multiplier, outputs = b->channels * multiplier;
    const uint32_t first = (uint32_t)b->words - 2 * CT_DEPTHWISE_POSITION_BYTES;
    ct_depthwise_pass pass;
    plan_pass(b, &pass, rows);
    int32_t o = 0;
    while (o < outputs) {
        const int32_t count = multiplier == 1 ? outputs - o : 1;
        pass.channels = count;
        pass.window = first + (uint32_t)(4 * (o / multiplier));
        compute(&pass);
        o += count - pass.channels;
        if (pass.channels > 0) {
            compute_channel(b, &pass, rows, o++);
            pass.weights += pass.weight_bytes;
            pass.constants++;
            pass.output++;
        }
    }
}
