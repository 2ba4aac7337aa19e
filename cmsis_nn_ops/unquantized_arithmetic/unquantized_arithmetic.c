#include "unquantized_arithmetic.h"
#include "ct_elementwise.h"
#include "ct_float.h"

static ct_status run(const ct_elementwise *function, const ct_unquantized_arithmetic_params *p,
                     const void *self, const void *other, void *output)
{
    ct_broadcast walk;
    ct_broadcast_begin(&walk, p->sizes, p->self_repeats, p->other_repeats);
    return ct_elementwise_run(function, &walk, (ct_key_kind)p->kind, self, other, output);
}

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static float add_real(float a, float b)
{
    return a + b;
}

ct_status ct_unquantized_arithmetic_add(const ct_unquantized_arithmetic_params *p, const void *self,
                                        const void *other, void *output)
{
    static const ct_elementwise function = {add, add_real, 0};
    return run(&function, p, self, other, output);
}

static int64_t sub(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static float sub_real(float a, float b)
{
    return a - b;
}

ct_status ct_unquantized_arithmetic_sub(const ct_unquantized_arithmetic_params *p, const void *self,
                                        const void *other, void *output)
{
    static const ct_elementwise function = {sub, sub_real, 0};
    return run(&function, p, self, other, output);
}

static int64_t mul(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static float mul_real(float a, float b)
{
    return a * b;
}

ct_status ct_unquantized_arithmetic_mul(const ct_unquantized_arithmetic_params *p, const void *self,
                                        const void *other, void *output)
{
    static const ct_elementwise function = {mul, mul_real, 0};
    return run(&function, p, self, other, output);
}

static float div_real(float a, float b)
{
    return a / b;
}

ct_status ct_unquantized_arithmetic_div(const ct_unquantized_arithmetic_params *p, const float *self,
                                        const float *other, float *output)
{
    static const ct_elementwise function = {NULL, div_real, 0};
    return run(&function, p, self, other, output);
}

/* The least integer by -1 is no number of its type: it wraps. */
static int64_t div_trunc(int64_t a, int64_t b)
{
    return b == -1 ? sub(0, a) : a / b;
}

static float div_trunc_real(float a, float b)
{
    return ct_truncate(a / b);
}

ct_status ct_unquantized_arithmetic_div_trunc(const ct_unquantized_arithmetic_params *p, const void *self,
                                              const void *other, void *output)
{
    static const ct_elementwise function = {div_trunc, div_trunc_real, 1};
    return run(&function, p, self, other, output);
}

static int64_t fmod_integer(int64_t a, int64_t b)
{
    return b == -1 ? 0 : a % b;
}

ct_status ct_unquantized_arithmetic_fmod(const ct_unquantized_arithmetic_params *p, const void *self,
                                         const void *other, void *output)
{
    static const ct_elementwise function = {fmod_integer, ct_fmod, 1};
    return run(&function, p, self, other, output);
}

static int64_t remainder_integer(int64_t a, int64_t b)
{
    const int64_t rest = fmod_integer(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static float remainder_real(float a, float b)
{
    const float rest = ct_fmod(a, b);
    return rest != 0.0f && (rest < 0.0f) != (b < 0.0f) ? rest + b : rest;
}

ct_status ct_unquantized_arithmetic_remainder(const ct_unquantized_arithmetic_params *p, const void *self,
                                              const void *other, void *output)
{
    static const ct_elementwise function = {remainder_integer, remainder_real, 1};
    return run(&function, p, self, other, output);
}

static int64_t div_floor(int64_t a, int64_t b)
{
    const int64_t rest = fmod_integer(a, b);
    return div_trunc(a, b) - (rest != 0 && (rest < 0) != (b < 0));
}

/* a - rest is nearly a multiple of b, so the quotient is next to an integer. */
static float div_floor_real(float a, float b)
{
    if (b == 0.0f) {
        return a / b;
    }
    const float rest = ct_fmod(a, b);
    float quotient = (a - rest) / b;
    if (rest != 0.0f && (rest < 0.0f) != (b < 0.0f)) {
        quotient -= 1.0f;
    }
    if (quotient == 0.0f) {
        return ct_with_sign(0.0f, a / b);
    }
    const float floor = ct_floor(quotient);
    return quotient - floor > 0.5f ? floor + 1.0f : floor;
}

ct_status ct_unquantized_arithmetic_div_floor(const ct_unquantized_arithmetic_params *p, const void *self,
                                              const void *other, void *output)
{
    static const ct_elementwise function = {div_floor, div_floor_real, 1};
    return run(&function, p, self, other, output);
}
