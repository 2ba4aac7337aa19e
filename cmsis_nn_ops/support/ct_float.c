#include "ct_float.h"

/* x > 0 as mantissa * 2^exponent, mantissa in [2^23, 2^24). */
static uint32_t split(int32_t bits, int32_t *exponent)
{
    uint32_t mantissa = (uint32_t)bits & 0x7FFFFF;
    *exponent = bits >> 23;
    if (*exponent == 0) { /* subnormal */
        *exponent = 1;
    } else {
        mantissa |= 1u << 23;
    }
    while (mantissa < 1u << 23) {
        mantissa <<= 1;
        *exponent -= 1;
    }
    return mantissa;
}

/* mantissa * 2^exponent, exact, mantissa in [1, 2^24) */
static int32_t joined(uint32_t mantissa, int32_t exponent)
{
    while (mantissa < 1u << 23 && exponent > 1) {
        mantissa <<= 1;
        exponent--;
    }
    while (exponent < 1) {
        mantissa >>= 1;
        exponent++;
    }
    return mantissa < 1u << 23 ? (int32_t)mantissa
                               : (int32_t)((mantissa & 0x7FFFFF) | (uint32_t)exponent << 23);
}

float ct_fmod(float a, float b)
{
    const int32_t a_bits = ct_float_bits(a) & INT32_MAX;
    const int32_t b_bits = ct_float_bits(b) & INT32_MAX;
    if (a_bits >= CT_FLOAT_INFINITY || b_bits > CT_FLOAT_INFINITY || b_bits == 0) {
        return ct_float_of(CT_FLOAT_NAN);
    }
    if (a_bits < b_bits) {
        return a;
    }
    int32_t exponent, b_exponent;
    uint32_t rest = split(a_bits, &exponent);
    const uint32_t divisor = split(b_bits, &b_exponent);
    for (; exponent > b_exponent; exponent--) {
        rest = (rest >= divisor ? rest - divisor : rest) << 1;
    }
    rest = rest >= divisor ? rest - divisor : rest;
    return ct_with_sign(rest == 0 ? 0.0f : ct_float_of(joined(rest, b_exponent)), a);
}
