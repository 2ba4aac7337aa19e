#include "ct_softmax_line.h"
#include "ct_requantize.h"

#define SUM_INTEGER_BITS 12

/* exp(x) for x in [-1/4, 0), both Q0.31: the Taylor series of fourth order around -1/8. */
static int32_t exp_of_fraction(int32_t x)
{
    const int32_t exp_minus_eighth = 1895147668;
    const int32_t one_third = 715827883;
    x += 1 << 28;
    const int32_t x2 = ct_doubling_high_mult(x, x);
    const int32_t x3 = ct_doubling_high_mult(x2, x);
    const int32_t x4_4 = ct_divide_by_power_of_two(ct_doubling_high_mult(x2, x2), 2);
    const int32_t tail = ct_divide_by_power_of_two(ct_doubling_high_mult(x4_4 + x3, one_third) + x2, 1);
    return exp_minus_eighth + ct_doubling_high_mult(x + tail, exp_minus_eighth);
}

/* exp(x) as Q0.31 for x <= 0 as Q5.26. */
static int32_t exp_negative(int32_t x)
{
    /* exp(-2^k) for k = -2..4 in Q0.31: what each bit of -x from 1/4 on contributes. */
    static const int32_t exp_of_bits[] = {1672461947, 1302514674, 790015084, 290630308,
                                          39332535,   720401,     242};
    if (x == 0) {
        return INT32_MAX;
    }
    const int32_t fraction = (x & ((1 << 24) - 1)) - (1 << 24);
    int32_t result = exp_of_fraction(fraction * 32);
    int32_t quarters = (fraction - x) >> 24;
    for (const int32_t *factor = exp_of_bits; quarters != 0; factor++, quarters >>= 1) {
        if (quarters & 1) {
            result = ct_doubling_high_mult(result, *factor);
        }
    }
    return result;
}

/* 1 / (1 + x) for x in [0, 1), both Q0.31: Newton-Raphson in Q2.29 for 2 / (1 + x). */
static int32_t reciprocal_of_one_plus(int32_t x)
{
    const int32_t half = (x >> 1) + (1 << 30);
    int32_t y = 1515870810 + ct_doubling_high_mult(half, -1010580540); /* 48/17 - 32/17 * half */
    for (int i = 0; i < 3; i++) {
        const int32_t error = (1 << 29) - ct_doubling_high_mult(half, y);
        y += 4 * ct_doubling_high_mult(y, error);
    }
    return y >= 1 << 30 ? INT32_MAX : 2 * y;
}

/* exp of a difference to the maximum, Q0.31. */
static int32_t exp_of_difference(const ct_softmax_scale *scale, int32_t difference)
{
    if (difference < scale->diff_min) {
        return 0;
    }
    const int32_t shifted = (int32_t)((uint32_t)difference << scale->shift);
    return exp_negative(ct_doubling_high_mult(shifted, scale->multiplier));
}

/* Places of the entries of a line that count. */
typedef struct line {
    const int8_t *input;
    const uint8_t *excluded;
    uint32_t step, excluded_step, length;
} line;

static int counts(const line *l, uint32_t i)
{
    return l->excluded == NULL || l->excluded[i * l->excluded_step] == 0;
}

/* The largest entry, or -129 if none counts. */
static int32_t maximum(const line *l)
{
    int32_t max = -129;
    for (uint32_t i = 0; i < l->length; i++) {
        const int32_t x = l->input[i * l->step];
        max = counts(l, i) && x > max ? x : max;
    }
    return max;
}

/* Sum of the exponentials, Q12.19; at least 1, as that of the largest entry. */
static uint32_t sum_of_exponentials(const ct_softmax_scale *scale, const line *l, int32_t max)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < l->length; i++) {
        if (counts(l, i)) {
            const int32_t e = exp_of_difference(scale, l->input[i * l->step] - max);
            sum += (uint32_t)ct_divide_by_power_of_two(e, SUM_INTEGER_BITS);
        }
    }
    return sum;
}

static void divide(const ct_softmax_scale *scale, const line *l, int32_t max, int8_t *output)
{
    const uint32_t sum = sum_of_exponentials(scale, l, max);
    const int32_t headroom = __builtin_clz(sum);
    const int32_t reciprocal = reciprocal_of_one_plus((int32_t)((sum << headroom) & INT32_MAX));
    const int32_t shift = SUM_INTEGER_BITS + 23 - headroom;
    for (uint32_t i = 0; i < l->length; i++) {
        int32_t y = 0;
        if (counts(l, i) && shift <= 31) {
            const int32_t e = exp_of_difference(scale, l->input[i * l->step] - max);
            y = ct_divide_by_power_of_two(ct_doubling_high_mult(e, reciprocal), shift);
        }
        output[i * l->step] = (int8_t)(y > 255 ? 127 : y - 128);
    }
}

void ct_softmax_line(const ct_softmax_scale *scale, const int8_t *input, uint32_t step, uint32_t length,
                     const uint8_t *excluded, uint32_t excluded_step, int8_t *output)
{
    const line l = {input, excluded, step, excluded_step, length};
    const int32_t max = maximum(&l);
    if (max < -128) {
        for (uint32_t i = 0; i < length; i++) {
            output[i * step] = -128;
        }
        return;
    }
    divide(scale, &l, max, output);
}
