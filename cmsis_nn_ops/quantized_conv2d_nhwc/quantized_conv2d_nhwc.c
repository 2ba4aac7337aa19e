#include "quantized_conv2d_nhwc.h"
#include "ct_requantize.h"

/* Dot product of one output's receptive field, skipping pixels outside the input. */
static int32_t accumulate(const ct_quantized_conv2d_nhwc_params *p, const int8_t *input, const int8_t *weight,
                          int32_t top, int32_t left, int32_t first_channel, int32_t channels)
{
    int32_t acc = 0;
    for (int32_t ky = 0; ky < p->kernel_height; ky++) {
        const int32_t y = top + ky * p->dilation_height;
        if (y < 0 || y >= p->input_height) {
            continue;
        }
        for (int32_t kx = 0; kx < p->kernel_width; kx++) {
            const int32_t x = left + kx * p->dilation_width;
            if (x < 0 || x >= p->input_width) {
                continue;
            }
            const int8_t *in = input + (y * p->input_width + x) * p->input_channels + first_channel;
            const int8_t *w = weight + (ky * p->kernel_width + kx) * channels;
            for (int32_t i = 0; i < channels; i++) {
                acc += (in[i] + p->input_offset) * w[i];
            }
        }
    }
    return acc;
}

ct_status ct_quantized_conv2d_nhwc(const ct_quantized_conv2d_nhwc_params *p, const int8_t *input,
                                   const int8_t *weight, const int32_t *bias,
                                   const int32_t *requantize_multipliers, const int32_t *requantize_shifts,
                                   int8_t *output)
{
    const int32_t group_inputs = p->input_channels / p->groups;
    const int32_t group_outputs = p->output_channels / p->groups;
    const int32_t filter_bytes = p->kernel_height * p->kernel_width * group_inputs;
    for (int32_t n = 0; n < p->batches; n++) {
        for (int32_t y = 0; y < p->output_height; y++) {
            for (int32_t x = 0; x < p->output_width; x++) {
                const int32_t top = y * p->stride_height - p->pad_top;
                const int32_t left = x * p->stride_width - p->pad_left;
                for (int32_t o = 0; o < p->output_channels; o++) {
                    const int32_t first_channel = o / group_outputs * group_inputs;
                    int32_t acc = accumulate(p, input, weight + o * filter_bytes, top, left, first_channel,
                                             group_inputs);
                    acc += bias != NULL ? bias[o] : 0;
                    acc = ct_requantize(acc, requantize_multipliers[o], requantize_shifts[o]) +
                          p->output_offset;
                    *output++ = (int8_t)ct_clamp(acc, p->activation_min, p->activation_max);
                }
            }
        }
        input += p->input_height * p->input_width * p->input_channels;
    }
    return CT_OK;
}
