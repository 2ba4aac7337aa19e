#include "quantized_linear_per_channel.h"
#include "ct_dot.h"
#include "ct_requantize.h"

/* Constants of the outputs. */
typedef struct channels {
    const int8_t *weight;
    const int32_t *bias; /* or NULL */
    const int32_t *multipliers, *shifts;
} channels;

static int8_t finish(const ct_quantized_linear_per_channel_params *p, const channels *c, int32_t o,
                     int32_t acc)
{
    acc += c->bias != NULL ? c->bias[o] : 0;
    acc = ct_requantize(acc, c->multipliers[o], c->shifts[o]) + p->output_offset;
    return (int8_t)ct_clamp(acc, p->activation_min, p->activation_max);
}

static void compute_row(const ct_quantized_linear_per_channel_params *p, const channels *c,
                        const int8_t *input, int8_t *output)
{
    const int32_t features = p->input_features;
    int32_t o = 0;
    for (; o + 4 <= p->output_features; o += 4) {
        int32_t sums[4] = {0, 0, 0, 0};
        ct_dot_four(input, c->weight + o * features, features, features, p->input_offset, sums);
        for (int32_t i = 0; i < 4; i++) {
            output[o + i] = finish(p, c, o + i, sums[i]);
        }
    }
    for (; o < p->output_features; o++) {
        output[o] = finish(p, c, o, ct_dot(input, c->weight + o * features, features, p->input_offset));
    }
}

ct_status ct_quantized_linear_per_channel(const ct_quantized_linear_per_channel_params *p,
                                          const int8_t *input, const int8_t *weight, const int32_t *bias,
                                          const int32_t *requantize_multipliers,
                                          const int32_t *requantize_shifts, int8_t *output)
{
    const channels c = {weight, bias, requantize_multipliers, requantize_shifts};
    for (uint32_t row = 0; row < p->rows; row++) {
        compute_row(p, &c, input, output);
        input += p->input_features;
        output += p->output_features;
    }
    return CT_OK;
}
