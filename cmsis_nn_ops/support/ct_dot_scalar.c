#include "ct_dot.h"

void ct_dot_four(const int8_t *input, const int8_t *weight, int32_t stride, int32_t count, int32_t offset,
                 int32_t sums[4])
{
    const int8_t *w0 = weight, *w1 = w0 + stride, *w2 = w1 + stride, *w3 = w2 + stride;
    int32_t s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3];
    for (int32_t i = 0; i < count; i++) {
        const int32_t x = input[i] + offset;
        s0 += x * w0[i];
        s1 += x * w1[i];
        s2 += x * w2[i];
        s3 += x * w3[i];
    }
    sums[0] = s0;
    sums[1] = s1;
    sums[2] = s2;
    sums[3] = s3;
}

void ct_dot_four_channels(const int8_t *input, const int8_t *weight, int32_t taps, int32_t input_step,
                          int32_t weight_step, int32_t offset, int32_t sums[4])
{
    int32_t s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3];
    for (; taps != 0; taps--, input += input_step, weight += weight_step) {
        s0 += (input[0] + offset) * weight[0];
        s1 += (input[1] + offset) * weight[1];
        s2 += (input[2] + offset) * weight[2];
        s3 += (input[3] + offset) * weight[3];
    }
    sums[0] = s0;
    sums[1] = s1;
    sums[2] = s2;
    sums[3] = s3;
}
