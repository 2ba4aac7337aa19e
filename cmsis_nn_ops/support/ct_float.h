/* Rounding of floats without libm: the same on every core and on the PC. */
#ifndef CT_FLOAT_H
#define CT_FLOAT_H

#include <stdint.h>
#include <string.h>

#define CT_NEAREST_LIMIT (1 << 22)
#define CT_FLOAT_INFINITY 0x7F800000 /* bits of infinity; above it: NaN */

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

#endif
