#include "ct_bounds_dsp.h"
#include "ct_matmul_dsp.h"
#include "ct_matmul_plain_dsp.h"
#include "quantized_linear_per_channel.h"

typedef ct_quantized_linear_per_channel_params params;

static void multiply(const params *p, ct_multiply_dsp m, const int8_t *input, int8_t *output, void *scratch)
{
    const int32_t features = p->input_features, outputs = p->output_features;
    int8_t *const first = output;
    uint32_t rows = p->rows;
    for (; rows >= 3; rows -= 3) {
        const int8_t *const three[] = {input, input + features, input + 2 * features};
        ct_widen_three(scratch, three, features);
        m.three(m.matmul, scratch, output);
        input += 3 * features;
        output += 3 * outputs;
    }
    for (; rows > 0; rows--) {
        ct_widen(scratch, input, features);
        m.row(m.matmul, scratch, output);
        input += features;
        output += outputs;
    }
    ct_bound(first, output - first, p->activation_min, p->activation_max);
}

ct_status ct_quantized_linear_per_channel_dsp(const params *p, const int8_t *input, const int32_t *filters,
                                              int8_t *output, void *scratch)
{
    const ct_matmul_dsp m = {
        .filters = filters,
        .channels = p->output_features,
        .steps = (p->input_features + 3) / 4,
        .output_offset = p->output_offset,
    };
    multiply(p, (ct_multiply_dsp){&m, ct_matmul_dsp_row, ct_matmul_dsp_three}, input, output, scratch);
    return CT_OK;
}

ct_status ct_quantized_linear_per_channel_plain_dsp(const params *p, const int8_t *input,
                                                    const int8_t *padded_weight, const int32_t *folded_bias,
                                                    const int32_t *requantize_multipliers,
                                                    const int32_t *requantize_shifts, int8_t *output,
                                                    void *scratch)
{
    const ct_matmul_plain_dsp m = {
        .weights = padded_weight,
        .bias = folded_bias,
        .multipliers = requantize_multipliers,
        .shifts = requantize_shifts,
        .channels = p->output_features,
        .steps = (p->input_features + 3) / 4,
        .output_offset = p->output_offset,
    };
    multiply(p, (ct_multiply_dsp){&m, ct_matmul_plain_dsp_row, ct_matmul_plain_dsp_three}, input, output,
             scratch);
    return CT_OK;
}
