/* 1 / sqrt(x) of 64-bit integers, as a requantization factor; the Python twin is fixed_point.inverse_sqrt. */
#ifndef CT_INVERSE_SQRT_H
#define CT_INVERSE_SQRT_H

#include <stdint.h>

/* multiplier / 2^31 * 2^shift */
typedef struct ct_factor {
    int32_t multiplier, shift;
} ct_factor;

/* 1 / sqrt(f) in Q2.30 for f in [1/4, 1) in Q0.32: a line that is 9 % off at most, and three steps of
 * Newton's method, y (3 - f y^2) / 2, each of which squares the error. All products are rounded down. */
static inline uint32_t ct_inverse_sqrt_q30(uint32_t f)
{
    uint32_t y = 2281701376u - (uint32_t)((uint64_t)f * 1288490189u >> 32); /* 17/8 - 6/5 f */
    for (int32_t i = 0; i < 3; i++) {
        const uint32_t square = (uint32_t)((uint64_t)y * y >> 32);
        const uint32_t ratio = (uint32_t)((uint64_t)f * square >> 32); /* about 1, in Q4.28 */
        y = (uint32_t)((uint64_t)y * ((3u << 28) - ratio) >> 29);
    }
    return y;
}

/* 2^bits / sqrt(x) to 24 bits, for x in 0..2^63-1 and bits in 0..29; 0 for x = 0. */
static inline ct_factor ct_inverse_sqrt(uint64_t x, int32_t bits)
{
    if (x == 0) {
        return (ct_factor){0, 0};
    }
    const int32_t exponent = (65 - __builtin_clzll(x)) / 2; /* x = f * 4^exponent */
    const uint64_t f = exponent <= 16 ? x << (32 - 2 * exponent) : x >> (2 * exponent - 32);
    const uint32_t y = ct_inverse_sqrt_q30((uint32_t)f);
    return (ct_factor){y > INT32_MAX ? INT32_MAX : (int32_t)y, bits + 1 - exponent};
}

#endif
