#include "quantized_linear_per_channel.h"

ct_status ct_quantized_linear_per_channel_mve(const ct_quantized_linear_per_channel_params *p,
                                              const int8_t *input, const int8_t *packed_weight,
                                              const ct_matmul_pair *channels, int8_t *output, void *scratch)
{
    const ct_matmul m = {
        .weights = packed_weight,
        .pairs = channels,
        .channels = p->output_features,
        .chunks = (p->input_features + 15) / 16,
        .output_offset = p->output_offset,
        .activation_min = p->activation_min,
        .activation_max = p->activation_max,
        .rows_per_pass = p->rows_per_pass,
        .sums = scratch,
    };
    int8_t *copies = (int8_t *)scratch + CT_MATMUL_SUMS_BYTES(p->rows_per_pass);
    ct_matmul_copied_mve(&m, input, p->input_features, (int32_t)p->rows, p->copied_rows, output,
                         p->output_features, copies);
    return CT_OK;
}
