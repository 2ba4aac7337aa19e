#include "quantized_linear_per_channel.h"
#include "ct_requantize.h"

static int32_t dot(const int8_t *input, const int8_t *weight, int32_t features, int32_t input_offset)
{
    int32_t acc = 0;
    for (int32_t i = 0; i < features; i++) {
        acc += (input[i] + input_offset) * weight[i];
    }
    return acc;
}

ct_status ct_quantized_linear_per_channel(const ct_quantized_linear_per_channel_params *p,
                                          const int8_t *input, const int8_t *weight, const int32_t *bias,
                                          const int32_t *requantize_multipliers,
                                          const int32_t *requantize_shifts, int8_t *output)
{
    for (uint32_t row = 0; row < p->rows; row++) {
        const int8_t *w = weight;
        for (int32_t o = 0; o < p->output_features; o++) {
            int32_t acc = dot(input, w, p->input_features, p->input_offset);
            acc += bias != NULL ? bias[o] : 0;
            acc = ct_requantize(acc, requantize_multipliers[o], requantize_shifts[o]) + p->output_offset;
            *output++ = (int8_t)ct_clamp(acc, p->activation_min, p->activation_max);
            w += p->input_features;
        }
        input += p->input_features;
    }
    return CT_OK;
}
