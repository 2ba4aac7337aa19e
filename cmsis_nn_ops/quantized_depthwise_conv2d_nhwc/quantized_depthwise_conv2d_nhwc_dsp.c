#include "quantized_depthwise_conv2d_nhwc_planes_dsp.h"
#include <arm_acle.h>

typedef ct_quantized_depthwise_conv2d_nhwc_params params;

/* For each row of a 3x3 window, twice the taps 0 and 1, then 1 and 2. */
static void pair_3x3(const params *p, const int32_t *weights, const ct_depthwise_plane *plane, uint32_t *taps)
{
    (void)p, (void)plane;
    for (int32_t y = 0; y < 3; y++) {
        const int8x4_t row = weights[y];
        const int16x2_t even = __sxtb16(row), odd = __sxtb16(row >> 8);
        const uint32_t taps02 = (uint32_t)__sadd16(even, even), tap1 = (uint32_t)__sadd16(odd, odd);
        *taps++ = (taps02 & 0xFFFFu) | tap1 << 16;
        *taps++ = (tap1 & 0xFFFFu) | (taps02 & 0xFFFF0000u);
    }
}

static inline uint32_t pair(int32_t low, int32_t high)
{
    return (uint32_t)(uint16_t)(2 * low) | (uint32_t)(2 * high) << 16;
}

/* Cuts rows into pieces of two taps, the last one of three if their number is odd. For each piece: taps 0 and
 * 1; bytes from its pixels to those of the next piece, at last to those of the next windows; taps 1 and 2. */
static void pair_any(const params *p, const int32_t *weights, const ct_depthwise_plane *plane, uint32_t *taps)
{
    const int8_t *row = (const int8_t *)weights;
    const int32_t width = p->kernel_width, windows_bytes = 4 * CT_DEPTHWISE_OUTPUTS / 2 * p->stride_width;
    int32_t position = 0;
    for (int32_t y = 1; y <= p->kernel_height; y++) {
        const int32_t next_row = y < p->kernel_height ? y * plane->pitch_bytes : windows_bytes;
        for (int32_t x = 0; x == 0 || x + 1 < width; x += 2) {
            const int32_t tap1 = x + 1 < width ? row[x + 1] : 0, tap2 = x + 3 == width ? row[x + 2] : 0;
            const int32_t next = x + 3 < width ? position + 4 : next_row;
            *taps++ = pair(row[x], tap1);
            *taps++ = (uint32_t)(next - position);
            *taps++ = pair(tap1, tap2);
            position = next;
        }
        row += (width + 3) / 4 * 4;
    }
}

/* Below, a line of assembly is a line. Assembly, because it takes every register that there is:
 *   r0-r3, r12  pixels and taps; multiplier, rounding, shift, output_step; count, next
 *   r4-r7       four sums
 *   r8          x
 *   r9-r11      taps, pitch_bytes, bias; or taps, bytes to the next piece, taps_end
 *   lr          the plane */
/* clang-format off */

/* Pixels of four windows, in r0 to r2, times two or three taps, in r3 and r12, added to `a` to `d`. */
#define MULTIPLY(a, b, c, d)       \
    "smlad  r4, r0, r3, " a "\n\t" \
    "smlatb r5, r0, r3, " b "\n\t" \
    "smlad  r6, r1, r3, " c "\n\t" \
    "smlatb r7, r1, r3, " d "\n\t" \
    "smlabt r4, r1, r12, r4\n\t"   \
    "smlad  r5, r1, r12, r5\n\t"   \
    "smlabt r6, r2, r12, r6\n\t"   \
    "smlad  r7, r2, r12, r7\n\t"

/* The same with stride 2, where the pixels take two words more. */
#define MULTIPLY_STRIDE2(a, b, c, d) \
    "smlad  r4, r0, r3, " a "\n\t"   \
    "smlad  r5, r1, r3, " b "\n\t"   \
    "smlad  r6, r2, r3, " c "\n\t"   \
    "smlabt r4, r1, r12, r4\n\t"     \
    "smlabt r5, r2, r12, r5\n\t"     \
    "ldrd   r0, r1, [r8, #12]\n\t"   \
    "smlad  r7, r0, r3, " d "\n\t"   \
    "smlabt r6, r0, r12, r6\n\t"     \
    "smlabt r7, r1, r12, r7\n\t"

#define LOAD_ROW(taps)            \
    "ldmia  r8, {r0, r1, r2}\n\t" \
    "ldrd   r3, r12, [r9, #" taps "]\n\t"

#define WINDOWS_3X3(multiply, windows_bytes)  \
    LOAD_ROW("0")                             \
    multiply("r11", "r11", "r11", "r11")      \
    "add    r8, r8, r10\n\t"                  \
    LOAD_ROW("8")                             \
    multiply("r4", "r5", "r6", "r7")          \
    "add    r8, r8, r10\n\t"                  \
    LOAD_ROW("16")                            \
    multiply("r4", "r5", "r6", "r7")          \
    "sub    r8, r8, r10, lsl #1\n\t"          \
    "add    r8, r8, #" windows_bytes "\n\t"

#define WINDOWS(multiply)                 \
    "ldr    r9, [lr, #20]\n\t"            \
    "ldr    r4, [lr, #28]\n\t"  /* bias */ \
    "ldr    r11, [lr, #60]\n\t"           \
    "mov    r5, r4\n\t"                   \
    "mov    r6, r4\n\t"                   \
    "mov    r7, r4\n"                     \
    "5:\n\t"                              \
    "ldmia  r8, {r0, r1, r2}\n\t"         \
    "ldmia  r9!, {r3, r10, r12}\n\t"      \
    multiply("r4", "r5", "r6", "r7")      \
    "add    r8, r8, r10\n\t"              \
    "cmp    r9, r11\n\t"                  \
    "bne    5b\n\t"

/* As ct_requantize_dsp. */
#define REQUANTIZE(sum)                    \
    "add    r12, r1, " sum ", asr #31\n\t" \
    "smmlar " sum ", " sum ", r0, r12\n\t" \
    "asr    " sum ", " sum ", r2\n\t"      \
    "ssat   " sum ", #8, " sum ", asr #1\n\t"

/* All windows of a plane, four by four. */
#define PLANE(windows)                                                     \
    "push   {r4-r11, lr}\n\t"                                              \
    "mov    lr, r1\n\t"                                                    \
    "add    r8, lr, #16\n\t"                                               \
    "ldmia  r8, {r8-r11}\n"                                                \
    "0:\n\t"                                                               \
    "ldrd   r0, r1, [lr, #32]\n\t" /* width, output */                     \
    "strd   r0, r1, [lr, #52]\n"   /* count, next */                       \
    "1:\n\t"                                                               \
    windows                                                                \
    "ldmia  lr, {r0-r3}\n\t"                                               \
    REQUANTIZE("r4")                                                       \
    REQUANTIZE("r5")                                                       \
    REQUANTIZE("r6")                                                       \
    REQUANTIZE("r7")                                                       \
    "ldrd   r0, r1, [lr, #52]\n\t" /* count, next */                       \
    "strb   r4, [r1]\n\t"                                                  \
    "subs   r0, r0, #4\n\t"                                                \
    "blt    2f\n\t"                                                        \
    "strb   r5, [r1, r3]\n\t"                                              \
    "add    r12, r1, r3, lsl #1\n\t"                                       \
    "strb   r6, [r12]\n\t"                                                 \
    "strb   r7, [r12, r3]\n\t"                                             \
    "add    r1, r12, r3, lsl #1\n\t"                                       \
    "strd   r0, r1, [lr, #52]\n\t"                                         \
    "bgt    1b\n\t"                                                        \
    "b      3f\n"                                                          \
    "2:\n\t" /* one to three outputs were left: count is -3 to -1 */       \
    "cmp    r0, #-2\n\t"                                                   \
    "it     ge\n\t"                                                        \
    "strbge r5, [r1, r3]\n\t"                                              \
    "itt    gt\n\t"                                                        \
    "addgt  r12, r1, r3, lsl #1\n\t"                                       \
    "strbgt r6, [r12]\n"                                                   \
    "3:\n\t" /* the next line */                                           \
    "ldrd   r0, r1, [lr, #40]\n\t" /* x_line_bytes, output_line_bytes */   \
    "ldr    r8, [lr, #16]\n\t"     /* x */                                 \
    "ldr    r2, [lr, #36]\n\t"     /* output */                            \
    "add    r8, r8, r0\n\t"                                                \
    "add    r2, r2, r1\n\t"                                                \
    "str    r8, [lr, #16]\n\t"                                             \
    "str    r2, [lr, #36]\n\t"                                             \
    "ldr    r0, [lr, #48]\n\t" /* lines */                                 \
    "subs   r0, #1\n\t"                                                    \
    "str    r0, [lr, #48]\n\t"                                             \
    "bne    0b\n\t"                                                        \
    "pop    {r4-r11, pc}"

/* clang-format on */

#define UNUSED __attribute__((unused))

/* A kernel, its windows in assembly. */
#define DEFINE_KERNEL(name, pair_taps, windows)                                                   \
    __attribute__((naked)) static void name##_plane(UNUSED const params *p,                       \
                                                    UNUSED ct_depthwise_plane *plane)             \
    {                                                                                             \
        __asm__ volatile(PLANE(windows));                                                         \
    }                                                                                             \
                                                                                                  \
    ct_status name(const params *p, const int8_t *input, const int32_t *channels, int8_t *output, \
                   void *scratch)                                                                 \
    {                                                                                             \
        static const ct_depthwise_method method = {pair_taps, name##_plane};                      \
        return ct_depthwise_dsp(p, &method, input, channels, output, scratch);                    \
    }

DEFINE_KERNEL(ct_quantized_depthwise_conv2d_nhwc_3x3_dsp, pair_3x3, WINDOWS_3X3(MULTIPLY, "8"))
DEFINE_KERNEL(ct_quantized_depthwise_conv2d_nhwc_3x3_stride2_dsp, pair_3x3,
              WINDOWS_3X3(MULTIPLY_STRIDE2, "16"))
DEFINE_KERNEL(ct_quantized_depthwise_conv2d_nhwc_dsp, pair_any, WINDOWS(MULTIPLY))
DEFINE_KERNEL(ct_quantized_depthwise_conv2d_nhwc_stride2_dsp, pair_any, WINDOWS(MULTIPLY_STRIDE2))
