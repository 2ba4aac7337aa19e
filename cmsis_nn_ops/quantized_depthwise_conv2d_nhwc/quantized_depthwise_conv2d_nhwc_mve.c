#include "ct_requantize_mve.h"
#include "depthwise_mve.h"

static inline int32_t multiply(int32_t sum, const int8_t *window, uint32x4_t columns, int8x16_t weights)
{
    const uint32x4_t x = vldrwq_gather_offset_u32((const uint32_t *)(const void *)window, columns);
    return vmladavaq_s8(sum, vreinterpretq_s8_u32(x), weights);
}

/* Sums of four outputs whose windows lie `step` bytes apart. */
static inline int32x4_t multiply_four(const ct_depthwise_vector *v, int32_t vectors, const int8_t *window,
                                      int32_t step, uint32x4_t columns, const int8_t *weights)
{
    int32_t y0 = 0, y1 = 0, y2 = 0, y3 = 0;
    do {
        const int8x16_t w = vldrbq_gather_offset_s8(weights, vldrbq_u8(v->taps));
        const uint32x4_t at = vaddq_n_u32(columns, v->offset);
        y0 = multiply(y0, window, at, w);
        y1 = multiply(y1, window + step, at, w);
        y2 = multiply(y2, window + 2 * step, at, w);
        y3 = multiply(y3, window + 3 * step, at, w);
        v++;
    } while (--vectors > 0);
    return (int32x4_t){y0, y1, y2, y3};
}

/* A channel's outputs in one strip. */
static void compute_row(const ct_depthwise_block *b, const ct_depthwise_pass *pass, const int8_t *window,
                        const int8_t *weights, ct_depthwise_channel c, int8_t *output)
{
    const ct_quantized_depthwise_conv2d_nhwc_params *p = b->p;
    const ct_depthwise_vector *vectors = b->vectors;
    const int32_t vector_count = p->window_vectors, shift = weights[0];
    const int32_t step = p->stride_width * CT_DEPTHWISE_POSITION_BYTES;
    for (int32_t count = p->output_width; count > 0; count -= 4) {
        int32x4_t y = multiply_four(vectors, vector_count, window, step, pass->columns, weights);
        y = vaddq_n_s32(y, c.bias);
        y = shift < 0 ? ct_requantize_mve(y, c.multiplier, shift)
                      : ct_requantize_large_mve(y, c.multiplier, shift);
        y = vminq_s32(vmaxq_s32(vaddq_n_s32(y, pass->offset), pass->low), pass->high);
        vstrbq_scatter_offset_p_s32(output, pass->places, y, vctp32q((uint32_t)count));
        window += 4 * step;
        output += pass->step;
    }
}

static void compute_strip(const ct_depthwise_block *b, const ct_depthwise_pass *pass, const int8_t *words,
                          int8_t *output)
{
    const int8_t *weights = b->weights;
    const ct_depthwise_channel *c = b->constants;
    for (int32_t i = 0; i < b->channels; i++) {
        for (int32_t repeat = 0; repeat < b->p->depth_multiplier; repeat++) {
            compute_row(b, pass, words, weights, *c++, output++);
            weights += pass->weight_bytes;
        }
        words += 4;
    }
}

static void compute_block(const ct_depthwise_block *b, ct_depthwise_pass *pass)
{
    for (int32_t i = 0; i < b->strips; i++) {
        int8_t *output = b->output + i * b->across_bytes;
        compute_strip(b, pass, b->words + i * b->strip_bytes, output);
    }
}

ct_status ct_quantized_depthwise_conv2d_nhwc_mve(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                                                 const int8_t *input, const int8_t *weights,
                                                 const ct_depthwise_channel *channels,
                                                 const ct_depthwise_vector *vectors, int8_t *output,
                                                 void *scratch)
{
    ct_depthwise_strips_mve(p, input, weights, channels, vectors, output, scratch, 1, compute_block);
    return CT_OK;
}
