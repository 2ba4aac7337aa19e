#include "ct_matmul_dsp.h"
#include <arm_acle.h>
#include <string.h>

static inline uint32_t load(const int8_t *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static inline uint32_t even(uint32_t bytes)
{
    return (uint32_t)__sxtb16((int8x4_t)bytes);
}

static inline uint32_t odd(uint32_t bytes)
{
    return (uint32_t)__sxtb16((int8x4_t)(bytes >> 8 | bytes << 24));
}

/* The last one to three bytes of a row: nothing behind them is read. */
static uint32_t load_rest(const int8_t *from, int32_t count)
{
    uint32_t word = 0;
    for (int32_t i = 0; i < count; i++) {
        word |= (uint32_t)(uint8_t)from[i] << 8 * i;
    }
    return word;
}

static inline uint32_t *put(uint32_t *wide, uint32_t word)
{
    wide[0] = even(word);
    wide[1] = odd(word);
    return wide + 2;
}

uint32_t *ct_widen(uint32_t *wide, const int8_t *row, int32_t count)
{
    for (; count >= 4; count -= 4) {
        wide = put(wide, load(row));
        row += 4;
    }
    return count > 0 ? put(wide, load_rest(row, count)) : wide;
}

/* Below, a line of assembly is a line. */
/* clang-format off */

#define WIDEN_STEP                \
    "ldr    r3, [%[a]], #4\n\t"   \
    "ldr    r12, [%[b]], #4\n\t"  \
    "ldr    lr, [%[c]], #4\n\t"   \
    "sxtb16 r0, r3\n\t"           \
    "sxtb16 r1, r12\n\t"          \
    "sxtb16 r2, lr\n\t"           \
    "sxtb16 r3, r3, ror #8\n\t"   \
    "sxtb16 r12, r12, ror #8\n\t" \
    "sxtb16 lr, lr, ror #8\n\t"   \
    "stmia  %[wide]!, {r0-r3, r12, lr}\n\t"

uint32_t *ct_widen_three(uint32_t *wide, const int8_t *const rows[3], int32_t count)
{
    const int8_t *a = rows[0], *b = rows[1], *c = rows[2];
    int32_t steps = count / 4, rest = count % 4;
    if (steps > 0) {
        /* An odd number of steps enters in the middle. Assembly, because compilers do not use STM. */
        __asm__("lsrs   %[n], %[n], #1\n\t"
                "adc    %[n], %[n], #0\n\t"
                "bcs    2f\n"
                "1:\n\t"
                WIDEN_STEP
                "2:\n\t"
                WIDEN_STEP
                "subs   %[n], #1\n\t"
                "bne    1b"
                : [wide] "+r"(wide), [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [n] "+r"(steps)
                :
                : "r0", "r1", "r2", "r3", "r12", "lr", "cc", "memory");
    }
    if (rest > 0) {
        const uint32_t last[] = {load_rest(a, rest), load_rest(b, rest), load_rest(c, rest)};
        for (int32_t i = 0; i < 3; i++) {
            wide[i] = even(last[i]);
            wide[i + 3] = odd(last[i]);
        }
        wide += 6;
    }
    return wide;
}

/* As ct_requantize_dsp; r4 is used up. */
#define REQUANTIZE(sum, multiplier, added, shift)     \
    "add    r4, " added ", " sum ", asr #31\n\t"      \
    "smmlar " sum ", " sum ", " multiplier ", r4\n\t" \
    "asr    " sum ", " sum ", " shift "\n\t"          \
    "ssat   " sum ", #8, " sum ", asr #1\n\t"

/* A step again and again until `row` is `row_end`, entered so that r0 of the first four are skipped. */
#define REPEAT(step, row, row_end)                                       \
    "tbb    [pc, r0]\n"                                                  \
    "5:\n\t"                                                             \
    ".byte (1f - 5b) / 2, (2f - 5b) / 2, (3f - 5b) / 2, (4f - 5b) / 2\n" \
    "1:\n\t"                                                             \
    step                                                                 \
    "2:\n\t"                                                             \
    step                                                                 \
    "3:\n\t"                                                             \
    step                                                                 \
    "4:\n\t"                                                             \
    step                                                                 \
    "cmp    " row ", " row_end "\n\t"                                    \
    "bne    1b\n\t"

/* Two features of two channels, in register `w`, with those of three rows, in r0 to r2. */
#define HALF_STEP(w)                 \
    "smlad  r6, r0, " w ", r6\n\t"   \
    "smlad  r7, r1, " w ", r7\n\t"   \
    "smlad  r8, r2, " w ", r8\n\t"   \
    "sxtb16 " w ", " w "\n\t"        \
    "smlad  r9, r0, " w ", r9\n\t"   \
    "smlad  r10, r1, " w ", r10\n\t" \
    "smlad  r11, r2, " w ", r11\n\t"

#define STEP                       \
    "ldmia  r4!, {r0, r1, r2}\n\t" \
    "ldmia  r5!, {r3, r12}\n\t"    \
    HALF_STEP("r3")                \
    "ldmia  r4!, {r0, r1, r2}\n\t" \
    HALF_STEP("r12")

/* Three rows times some pairs of channels. The order of the fields is that of the registers below. */
typedef struct block {
    const uint32_t *rows;
    uint32_t skipped; /* steps, see REPEAT */
    int32_t half;     /* twice output_offset + 1/2 */
    int32_t channels; /* bytes from an output to that of the next row */
    int8_t *output;
    const int8_t *output_end; /* of the first row */
    const int32_t *filters;
    const uint32_t *rows_end;
} block;

/* Assembly, because it takes every register that there is: r4 rows, r5 filters, r6 to r8 mixed sums of the
 * rows, r9 to r11 those of the first channel, lr the rows' end. */
__attribute__((naked)) static void multiply_three(__attribute__((unused)) const block *b)
{
    __asm__ volatile(
        "push   {r4-r11, lr}\n\t"
        "ldmia  r0, {r0-r7}\n\t"
        "push   {r0-r5}\n\t" /* rows to output_end */
        "mov    r5, r6\n\t"
        "mov    lr, r7\n"
        "0:\n\t"
        "ldrd   r4, r0, [sp]\n\t" /* rows, skipped */
        "movs   r6, #0\n\t"
        "movs   r7, #0\n\t"
        "mov    r8, r6\n\t"
        "mov    r9, r6\n\t"
        "mov    r10, r6\n\t"
        "mov    r11, r6\n\t"
        REPEAT(STEP, "r4", "lr")

        "ldmia  r5!, {r0, r1, r2}\n\t" /* the second channel's bias, multiplier; shifts */
        "sub    r6, r6, r9\n\t"
        "sub    r7, r7, r10\n\t"
        "sub    r8, r8, r11\n\t"
        "add    r6, r0, r6, asr #7\n\t" /* twice the sum */
        "add    r7, r0, r7, asr #7\n\t"
        "add    r8, r0, r8, asr #7\n\t"
        "lsr    r3, r2, #8\n\t"
        "ldr    r0, [sp, #8]\n\t" /* half */
        "lsl    r12, r0, r3\n\t"
        REQUANTIZE("r6", "r1", "r12", "r3")
        REQUANTIZE("r7", "r1", "r12", "r3")
        REQUANTIZE("r8", "r1", "r12", "r3")

        "ldmia  r5!, {r1, r3}\n\t" /* the first channel's bias, multiplier */
        "add    r9, r1, r9, lsl #1\n\t"
        "add    r10, r1, r10, lsl #1\n\t"
        "add    r11, r1, r11, lsl #1\n\t"
        "uxtb   r2, r2\n\t"
        "lsl    r12, r0, r2\n\t"
        REQUANTIZE("r9", "r3", "r12", "r2")
        REQUANTIZE("r10", "r3", "r12", "r2")
        REQUANTIZE("r11", "r3", "r12", "r2")

        "bfi    r9, r6, #8, #8\n\t"
        "bfi    r10, r7, #8, #8\n\t"
        "bfi    r11, r8, #8, #8\n\t"
        "ldrd   r0, r1, [sp, #12]\n\t" /* channels, output */
        "strh   r9, [r1]\n\t"
        "strh   r10, [r1, r0]\n\t"
        "strh   r11, [r1, r0, lsl #1]\n\t"
        "adds   r1, #2\n\t"
        "ldr    r0, [sp, #20]\n\t" /* output_end */
        "str    r1, [sp, #16]\n\t"
        "cmp    r1, r0\n\t"
        "bne    0b\n\t"
        "add    sp, #24\n\t"
        "pop    {r4-r11, pc}");
}

/* Four features of two channels with those of one row, in r0 and r1. */
#define PAIR_STEP(filters, mixed, first)      \
    "ldmia  " filters "!, {r2, r3}\n\t"       \
    "smlad  " mixed ", r0, r2, " mixed "\n\t" \
    "sxtb16 r2, r2\n\t"                       \
    "smlad  " mixed ", r1, r3, " mixed "\n\t" \
    "sxtb16 r3, r3\n\t"                       \
    "smlad  " first ", r0, r2, " first "\n\t" \
    "smlad  " first ", r1, r3, " first "\n\t"

#define ROW_STEP                \
    "ldmia  r4!, {r0, r1}\n\t"  \
    PAIR_STEP("r5", "r6", "r7") \
    PAIR_STEP("r10", "r8", "r9")

/* Both outputs of a pair, in `first`. */
#define PAIR_FINISH(filters, mixed, first)                                                  \
    "ldmia  " filters "!, {r0, r1, r2}\n\t" /* second channel's bias, multiplier; shifts */ \
    "sub    " mixed ", " mixed ", " first "\n\t"                                            \
    "add    " mixed ", r0, " mixed ", asr #7\n\t" /* twice the sum */                       \
    "lsr    r3, r2, #8\n\t"                                                                 \
    "lsl    r12, lr, r3\n\t"                                                                \
    REQUANTIZE(mixed, "r1", "r12", "r3")                                                    \
    "ldmia  " filters "!, {r1, r3}\n\t" /* first channel's bias, multiplier */              \
    "add    " first ", r1, " first ", lsl #1\n\t"                                           \
    "uxtb   r2, r2\n\t"                                                                     \
    "lsl    r12, lr, r2\n\t"                                                                \
    REQUANTIZE(first, "r3", "r12", "r2")                                                    \
    "bfi    " first ", " mixed ", #8, #8\n\t"

/* One row times some pairs of channels, two at a time. The fields are in the order of the registers below. */
typedef struct row_block {
    const uint32_t *row;
    uint32_t skipped; /* steps, see REPEAT */
    int32_t pair_bytes;
    int8_t *output[2];
    const int8_t *output_end; /* of output[0] */
    const int32_t *filters[2];
    int32_t half; /* twice output_offset + 1/2 */
    const uint32_t *row_end;
} row_block;

/* r4 row, r5 and r10 filters, r6 to r9 mixed and first sums of both pairs, r11 the row's end, lr half. */
__attribute__((naked)) static void multiply_row(__attribute__((unused)) const row_block *b)
{
    __asm__ volatile(
        "push   {r4-r11, lr}\n\t"
        "ldmia  r0, {r0-r9}\n\t"
        "push   {r0-r5}\n\t" /* row to output_end */
        "mov    r5, r6\n\t"
        "mov    r10, r7\n\t"
        "mov    lr, r8\n\t"
        "mov    r11, r9\n"
        "0:\n\t"
        "ldrd   r4, r0, [sp]\n\t" /* row, skipped */
        "movs   r6, #0\n\t"
        "movs   r7, #0\n\t"
        "mov    r8, r6\n\t"
        "mov    r9, r6\n\t"
        REPEAT(ROW_STEP, "r4", "r11")
        PAIR_FINISH("r5", "r6", "r7")
        PAIR_FINISH("r10", "r8", "r9")
        "ldrd   r0, r1, [sp, #12]\n\t" /* output */
        "strh   r7, [r0]\n\t"
        "strh   r9, [r1]\n\t"
        "adds   r0, #4\n\t"
        "adds   r1, #4\n\t"
        "strd   r0, r1, [sp, #12]\n\t"
        "mov    r5, r10\n\t"
        "ldr    r2, [sp, #8]\n\t"  /* pair_bytes */
        "ldr    r3, [sp, #20]\n\t" /* output_end */
        "add    r10, r10, r2\n\t"
        "cmp    r0, r3\n\t"
        "bne    0b\n\t"
        "add    sp, #24\n\t"
        "pop    {r4-r11, pc}");
}
/* clang-format on */

static int32_t pair_words(const ct_matmul_dsp *m)
{
    return 2 * m->steps + 5;
}

void ct_matmul_dsp_three(const void *matmul, const uint32_t *wide, int8_t *output)
{
    const ct_matmul_dsp *m = matmul;
    const int32_t rest = m->channels % 2;
    block b = {
        .rows = wide,
        .skipped = (uint32_t)-m->steps % 4u,
        .half = 2 * m->output_offset + 1,
        .channels = m->channels,
        .output = output,
        .output_end = output + m->channels - rest,
        .filters = m->filters,
        .rows_end = wide + 6 * m->steps,
    };
    multiply_three(&b);
    if (rest > 0) {
        b.output = output + m->channels - 2;
        b.output_end = output + m->channels;
        b.filters += m->channels / 2 * pair_words(m);
        multiply_three(&b);
    }
}

void ct_matmul_dsp_row(const void *matmul, const uint32_t *wide, int8_t *output)
{
    const ct_matmul_dsp *m = matmul;
    const int32_t words = pair_words(m), rest = m->channels % 4;
    row_block b = {
        .row = wide,
        .skipped = (uint32_t)-m->steps % 4u,
        .pair_bytes = 4 * words,
        .output = {output, output + 2},
        .output_end = output + m->channels - rest,
        .filters = {m->filters, m->filters + words},
        .half = 2 * m->output_offset + 1,
        .row_end = wide + 2 * m->steps,
    };
    if (m->channels >= 4) {
        multiply_row(&b);
    }
    if (rest > 0) {
        /* Two pairs, which overlap, or one, twice. */
        const int32_t first = (m->channels - rest) / 2, second = (m->channels - 1) / 2;
        b.output[1] = output + m->channels - 2;
        b.output[0] = rest == 3 ? b.output[1] - 1 : b.output[1];
        b.output_end = b.output[0] + 4;
        b.filters[0] = m->filters + first * words;
        b.filters[1] = m->filters + second * words;
        multiply_row(&b);
    }
}
