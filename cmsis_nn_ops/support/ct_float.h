/* Rounding of floats without libm: the same on every core and on the PC. */
#ifndef CT_FLOAT_H
#define CT_FLOAT_H

#include <stdint.h>
#include <string.h>

#define CT_NEAREST_LIMIT (1 << 22)
#define CT_FLOAT_INFINITY 0x7F800000 /* bits of infinity; above it: NaN */
#define CT_FLOAT_NAN 0x7FC00000

static inline int32_t ct_float_bits(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* x to the nearest integer, ties to even; saturates at +-2^22 (any quantized type is narrower), NaN becomes
 * 0. Adding 1.5 * 2^23, around which floats are one integer apart, makes the FPU (or the soft-float addition)
 * round, and leaves the integer in the low bits: no libm call, no conversion that is undefined for large
 * values. */
static inline int32_t ct_nearest(float x)
{
    const int32_t limit_bits = 0x4A800000; /* of the float 2^22 */
    const int32_t rounder_bits = 0x4B400000;
    const int32_t bits = ct_float_bits(x);
    const int32_t magnitude = bits & INT32_MAX;
    if (magnitude > CT_FLOAT_INFINITY) {
        return 0;
    }
    if (magnitude > limit_bits) {
        return bits < 0 ? -CT_NEAREST_LIMIT : CT_NEAREST_LIMIT;
    }
    return ct_float_bits(x + 12582912.0f) - rounder_bits;
}

static inline float ct_float_of(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The magnitude of x with the sign of `sign`. */
static inline float ct_with_sign(float x, float sign)
{
    return ct_float_of((ct_float_bits(x) & INT32_MAX) | (ct_float_bits(sign) & INT32_MIN));
}

/* x without its fraction; infinities and NaN stay, and so does the sign of zero. */
static inline float ct_truncate(float x)
{
    const int32_t whole_bits = 0x4B000000; /* of 2^23: from here on floats have no fraction */
    if ((ct_float_bits(x) & INT32_MAX) >= whole_bits) {
        return x;
    }
    return ct_with_sign((float)(int32_t)x, x);
}

static inline float ct_floor(float x)
{
    const float y = ct_truncate(x);
    return y > x ? y - 1.0f : y;
}

/* The exact remainder of a / b that has the sign of a. NaN for an infinite a or a b of zero. */
float ct_fmod(float a, float b);

#endif
