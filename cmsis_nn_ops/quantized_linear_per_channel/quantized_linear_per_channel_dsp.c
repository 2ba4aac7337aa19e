#include "ct_bounds_dsp.h"
#include "ct_matmul_dsp.h"
#include "quantized_linear_per_channel.h"

ct_status ct_quantized_linear_per_channel_dsp(const ct_quantized_linear_per_channel_params *p,
                                              const int8_t *input, const int32_t *filters, int8_t *output,
                                              void *scratch)
{
    const int32_t features = p->input_features, outputs = p->output_features;
    const ct_matmul_dsp m = {
        .filters = filters,
        .channels = outputs,
        .steps = (features + 3) / 4,
        .output_offset = p->output_offset,
    };
    int8_t *const first = output;
    uint32_t rows = p->rows;
    for (; rows >= 3; rows -= 3) {
        const int8_t *const three[] = {input, input + features, input + 2 * features};
        ct_widen_three(scratch, three, features);
        ct_matmul_dsp_three(&m, scratch, output);
        input += 3 * features;
        output += 3 * outputs;
    }
    for (; rows > 0; rows--) {
        ct_widen(scratch, input, features);
        ct_matmul_dsp_row(&m, scratch, output);
        input += features;
        output += outputs;
    }
    ct_bound(first, output - first, p->activation_min, p->activation_max);
    return CT_OK;
}
