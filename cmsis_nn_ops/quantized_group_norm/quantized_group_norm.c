#include "quantized_group_norm.h"
#include "ct_inverse_sqrt.h"
#include "ct_requantize.h"

/* r = (count * x - center) * factor */
typedef struct norm {
    int32_t count, center;
    ct_factor factor;
} norm;

static norm norm_of(const ct_quantized_group_norm_params *p, const int8_t *input)
{
    const uint32_t channels = (uint32_t)p->groups * p->group_channels;
    int64_t squares = 0;
    int32_t sum = 0;
    for (uint32_t pixel = 0; pixel < p->pixels; pixel++, input += channels) {
        int32_t row = 0; /* 65535 squares fit */
        for (uint32_t c = 0; c < p->group_channels; c++) {
            sum += input[c];
            row += input[c] * input[c];
        }
        squares += row;
    }
    const int32_t count = (int32_t)(p->pixels * p->group_channels);
    const int32_t center = p->is_centered ? sum : count * p->input_zero_point;
    /* count^2 times the mean of (x - center / count)^2 */
    const int64_t spread = count * squares + (int64_t)center * (center - 2 * sum);
    return (norm){count, center, ct_inverse_sqrt((uint64_t)(spread + p->epsilon), p->normalized_bits)};
}

static void normalize(const ct_quantized_group_norm_params *p, const norm *n, const int8_t *input,
                      const int32_t *weight, const int32_t *bias, int8_t *output)
{
    const uint32_t channels = (uint32_t)p->groups * p->group_channels;
    for (uint32_t pixel = 0; pixel < p->pixels; pixel++, input += channels, output += channels) {
        for (uint32_t c = 0; c < p->group_channels; c++) {
            const int32_t x = n->count * input[c] - n->center;
            const int32_t r = ct_requantize(x, n->factor.multiplier, n->factor.shift);
            const int32_t y = ct_doubling_high_mult(r, weight[c]) + bias[c];
            const int32_t rounded = ct_divide_by_power_of_two(y, p->output_bits) + p->output_zero_point;
            output[c] = (int8_t)ct_clamp(rounded, p->activation_min, p->activation_max);
        }
    }
}

ct_status ct_quantized_group_norm(const ct_quantized_group_norm_params *p, const int8_t *input,
                                  const int32_t *weight, const int32_t *bias, int8_t *output)
{
    const uint32_t elements = p->pixels * p->groups * p->group_channels;
    for (uint32_t batch = 0; batch < p->batches; batch++) {
        for (uint32_t group = 0; group < p->groups; group++) {
            const uint32_t first = group * p->group_channels;
            const norm n = norm_of(p, input + first);
            normalize(p, &n, input + first, weight + first, bias + first, output + first);
        }
        input += elements;
        output += elements;
    }
    return CT_OK;
}
