#include "quantized_linear_per_channel.h"
#include <arm_mve.h>

/* Zero point of the input beyond its end, where the weights are zero: any value would do. */
static const int8_t *in_whole_vectors(const int8_t *input, int32_t features, int8_t *copy)
{
    if (features % 16 == 0) {
        return input;
    }
    int8_t *to = copy;
    for (; features > 0; features -= 16) {
        vst1q_s8(to, vldrbq_z_s8(input, vctp8q((uint32_t)features)));
        to += 16;
        input += 16;
    }
    return copy;
}

/* clang-format off */

/* A vector of the input times those of four outputs; `mla` sets or adds to the sums. */
#define CHUNK(mla)                              \
    "vldrb.8    q0, [%[x]], #16\n\t"            \
    "vldrb.8    q1, [%[weights]], #16\n\t"      \
    mla "       r2, q0, q1\n\t"                 \
    "vldrb.8    q1, [%[weights]], #16\n\t"      \
    mla "       r4, q0, q1\n\t"                 \
    "vldrb.8    q1, [%[weights]], #16\n\t"      \
    mla "       r6, q0, q1\n\t"                 \
    "vldrb.8    q1, [%[weights]], #16\n\t"      \
    mla "       r8, q0, q1\n\t"

/* `fours` times four outputs. Assembly, because compilers spend half as many instructions around the inner loop as
 * in it. */
static __attribute__((noinline)) void compute(const ct_quantized_linear_per_channel_params *p,
                                              const int8_t *input, const int8_t *weights,
                                              const ct_linear_four *channels, int8_t *output, int32_t fours)
{
    const int32_t more_chunks = (p->input_features + 15) / 16 - 1;
    const int32_t pairs = (more_chunks + 1) / 2;
    const int32x4_t low = vdupq_n_s32(p->activation_min), high = vdupq_n_s32(p->activation_max);
    const int8_t *x;
    __asm__ volatile(
        "1:\n\t"
        "mov        %[x], %[input]\n\t"
        "lsrs       lr, %[pairs], #1\n\t" /* carry: the number of more chunks is odd */
        CHUNK("vmladav.s8")
        "wls        lr, lr, 4f\n\t"
        "bcs        3f\n"
        "2:\n\t"
        CHUNK("vmladava.s8")
        "3:\n\t"
        CHUNK("vmladava.s8")
        "le         lr, 2b\n"
        "4:\n\t"
        "vmov       q0[2], q0[0], r2, r6\n\t"
        "vmov       q0[3], q0[1], r4, r8\n\t"
        "vldrw.32   q1, [%[channels]], #16\n\t"
        "vadd.i32   q0, q0, q1\n\t"
        "vldrw.32   q1, [%[channels]], #16\n\t"
        "vqrdmulh.s32   q1, q1, q0\n\t" /* as ct_requantize_mve, but each lane has a factor of its own */
        "vshr.s32   q0, q0, #31\n\t"
        "vadd.i32   q1, q1, q0\n\t"
        "vldrb.s32  q0, [%[channels]], #4\n\t"
        "vrshl.s32  q1, q1, q0\n\t"
        "vadd.i32   q1, q1, %[offset]\n\t"
        "vmax.s32   q1, q1, %q[low]\n\t"
        "vmin.s32   q1, q1, %q[high]\n\t"
        "vstrb.32   q1, [%[output]], #4\n\t"
        "subs       %[fours], #1\n\t"
        "bne        1b"
        : [x] "=&r"(x), [weights] "+r"(weights), [channels] "+l"(channels), [output] "+l"(output),
          [fours] "+r"(fours)
        : [input] "r"(input), [pairs] "r"(2 * pairs + more_chunks % 2), [offset] "r"((int32_t)p->output_offset),
          [low] "w"(low), [high] "w"(high)
        : "r2", "r4", "r6", "r8", "lr", "q0", "q1", "cc", "memory");
}

/* clang-format on */

ct_status ct_quantized_linear_per_channel_row_mve(const ct_quantized_linear_per_channel_params *p,
                                                  const int8_t *input, const int8_t *packed_weight,
                                                  const ct_linear_four *channels, int8_t *output,
                                                  void *scratch)
{
    const int8_t *x = in_whole_vectors(input, p->input_features, scratch);
    const int32_t rest = p->output_features % 4;
    if (rest) {
        compute(p, x, packed_weight, channels++, output, 1);
        packed_weight += (p->input_features + 15) / 16 * 64;
        output += rest;
    }
    compute(p, x, packed_weight, channels, output, p->output_features / 4);
    return CT_OK;
}
