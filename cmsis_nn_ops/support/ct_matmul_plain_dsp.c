#include "ct_matmul_plain_dsp.h"
#include "ct_requantize.h"
#include <arm_acle.h>

static int8_t finish(const ct_matmul_plain_dsp *m, int32_t channel, int32_t sum)
{
    const int32_t biased = (int32_t)((uint32_t)m->bias[channel] + (uint32_t)sum);
    const int32_t y = ct_requantize(biased, m->multipliers[channel], m->shifts[channel]) + m->output_offset;
    return (int8_t)ct_clamp(y, INT8_MIN, INT8_MAX);
}

void ct_matmul_plain_dsp_row(const void *matmul, const uint32_t *wide, int8_t *output)
{
    const ct_matmul_plain_dsp *m = matmul;
    const int8_t *w = m->weights;
    for (int32_t o = 0; o < m->channels; o++) {
        const uint32_t *x = wide;
        int32_t sum = 0;
        for (int32_t i = m->steps; i > 0; i--) {
            const uint32_t four = *(const uint32_t *)(const void *)w;
            sum = __smlad((int16x2_t)*x++, __sxtb16((int8x4_t)four), sum);
            sum = __smlad((int16x2_t)*x++, __sxtb16((int8x4_t)(four >> 8 | four << 24)), sum);
            w += 4;
        }
        output[o] = finish(m, o, sum);
    }
}

void ct_matmul_plain_dsp_three(const void *matmul, const uint32_t *wide, int8_t *output)
{
    const ct_matmul_plain_dsp *m = matmul;
    const int8_t *w = m->weights;
    for (int32_t o = 0; o < m->channels; o++) {
        const uint32_t *x = wide;
        int32_t steps = m->steps, a = 0, b = 0, c = 0;
        /* Assembly, because compilers do not use LDM. */
        __asm__("1:\n\t"
                "ldr    r3, [%[w]], #4\n\t"
                "ldmia  %[x]!, {r0, r1, r2}\n\t"
                "sxtb16 r12, r3\n\t"
                "sxtb16 r3, r3, ror #8\n\t"
                "smlad  %[a], r0, r12, %[a]\n\t"
                "smlad  %[b], r1, r12, %[b]\n\t"
                "smlad  %[c], r2, r12, %[c]\n\t"
                "ldmia  %[x]!, {r0, r1, r2}\n\t"
                "subs   %[steps], #1\n\t"
                "smlad  %[a], r0, r3, %[a]\n\t"
                "smlad  %[b], r1, r3, %[b]\n\t"
                "smlad  %[c], r2, r3, %[c]\n\t"
                "bne    1b"
                : [w] "+r"(w), [x] "+r"(x), [steps] "+r"(steps), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c)
                :
                : "r0", "r1", "r2", "r3", "r12", "cc", "memory");
        output[o] = finish(m, o, a);
        output[o + m->channels] = finish(m, o, b);
        output[o + 2 * m->channels] = finish(m, o, c);
    }
}
