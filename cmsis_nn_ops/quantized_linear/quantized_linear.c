#include "quantized_linear.h"
#include "ct_requantize.h"

static int8_t output_of(const ct_quantized_linear_params *p, const int8_t *input, const int8_t *weights,
                        int32_t input_offset, int32_t sum)
{
    for (uint32_t i = 0; i < p->input_features; i++) {
        sum += (input[i] + input_offset) * (weights[i] + p->filter_offset);
    }
    const int32_t y = ct_requantize(sum, p->multiplier, p->shift) + p->output_offset;
    return (int8_t)ct_clamp(y, p->activation_min, p->activation_max);
}

ct_status ct_quantized_linear(const ct_quantized_linear_params *p, const int8_t *input, const int8_t *weights,
                              const int32_t *bias, const int32_t *kernel_sum, int8_t *output)
{
    const int32_t *sums = kernel_sum ? kernel_sum : bias;
    const int32_t input_offset = kernel_sum ? 0 : p->input_offset;
    for (uint32_t row = 0; row < p->rows; row++) {
        for (uint32_t o = 0; o < p->output_features; o++) {
            const uint32_t first = o * p->input_features;
            *output++ = output_of(p, input, weights + first, input_offset, sums ? sums[o] : 0);
        }
        input += p->input_features;
    }
    return CT_OK;
}
