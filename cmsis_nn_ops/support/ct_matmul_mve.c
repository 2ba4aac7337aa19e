#include "ct_matmul_mve.h"
#include "ct_requantize.h"
#include <arm_mve.h>
#include <stddef.h>

/* Where a pair of channels meets the rows. Sums are {row times channel 0, row times channel 1}. */
typedef struct block {
    const int8_t *weights; /* of the pair */
    int32_t row_bytes;     /* from a row to the next; 0 if there is only one */
    int32_t skipped_bytes; /* from the end of a row's chunks to the next row */
    int32_t *threes_end;   /* of the sums of rows that go three by three */
    int32_t more_chunks;   /* beyond three; < 0 if there are less */
    int32_t chunks;        /* of a row */
    int32_t threes;
    int32_t *end; /* of all sums */
} block;

/* clang-format off */

/* One chunk of three rows times those of two channels. Six accumulators, which must be even registers, are as many
 * as the core has; each of the five loads serves two or three multiplications. `mla` sets or adds to the sums. */
#define CHUNK(mla)                        \
    "vldrb.8    q0, [%[row]], #16\n\t"    \
    "vldrb.8    q3, [%[w]], #16\n\t"      \
    mla "       r2, q0, q3\n\t"           \
    "vldrb.8    q1, [%[row1]], #16\n\t"   \
    mla "       r6, q1, q3\n\t"           \
    "vldrb.8    q2, [%[row2]], #16\n\t"   \
    mla "       r10, q2, q3\n\t"          \
    "vldrb.8    q3, [%[w]], #16\n\t"      \
    mla "       r4, q0, q3\n\t"           \
    mla "       r8, q1, q3\n\t"           \
    mla "       r12, q2, q3\n\t"

/* Three rows at a time, at least once, of three or more chunks; returns the row behind them. Assembly, because
 * compilers spill a dozen registers around the inner loop. */
static const int8_t *multiply_threes(const block *b, const int8_t *row, int32_t *sums)
{
    const int8_t *row1, *row2, *w;
    __asm__ volatile(
        "1:\n\t"
        "ldrd       %[w], r2, [%[b], %[weights]]\n\t"
        "add        %[row1], %[row], r2\n\t"
        "add        %[row2], %[row1], r2\n\t"
        CHUNK("vmladav.s8")
        CHUNK("vmladava.s8")
        CHUNK("vmladava.s8")
        "ldr        lr, [%[b], %[more_chunks]]\n\t"
        "wls        lr, lr, 3f\n"
        "2:\n\t"
        CHUNK("vmladava.s8")
        "le         lr, 2b\n"
        "3:\n\t"
        "stmia      %[sums]!, {r2, r4, r6, r8, r10, r12}\n\t"
        "ldrd       r2, r4, [%[b], %[skipped_bytes]]\n\t"
        "add        %[row], %[row2], r2\n\t"
        "cmp        %[sums], r4\n\t"
        "bne        1b"
        : [row] "+r"(row), [sums] "+r"(sums), [row1] "=&r"(row1), [row2] "=&r"(row2), [w] "=&r"(w)
        : [b] "r"(b), [weights] "i"(offsetof(block, weights)),
          [skipped_bytes] "i"(offsetof(block, skipped_bytes)), [more_chunks] "i"(offsetof(block, more_chunks))
        : "r2", "r4", "r6", "r8", "r10", "r12", "lr", "q0", "q1", "q2", "q3", "cc", "memory");
    return row;
}

/* clang-format on */

/* One row of one or two chunks times weights that stay in registers. `chunks` is a constant. */
static inline void multiply_row(const int8_t *row, const int8x16_t *a, const int8x16_t *b, int32_t chunks,
                                int32_t *sums)
{
    int8x16_t x = vldrbq_s8(row);
    int32_t sum_a = vmladavq_s8(x, a[0]), sum_b = vmladavq_s8(x, b[0]);
    if (chunks > 1) {
        x = vldrbq_s8(row + 16);
        sum_a = vmladavaq_s8(sum_a, x, a[1]), sum_b = vmladavaq_s8(sum_b, x, b[1]);
    }
    sums[0] = sum_a, sums[1] = sum_b;
}

/* As multiply_threes, for short rows. */
static inline const int8_t *multiply_short_threes(const block *b, const int8_t *row, int32_t *sums,
                                                  int32_t chunks)
{
    const int8_t *w = b->weights;
    const int32_t second = chunks > 1 ? 32 : 0;
    const int8x16_t wa[2] = {vldrbq_s8(w), vldrbq_s8(w + second)};
    const int8x16_t wb[2] = {vldrbq_s8(w + 16), vldrbq_s8(w + 16 + second)};
    for (int32_t i = b->threes; i > 0; i--) {
        const int8_t *row1 = row + b->row_bytes, *row2 = row1 + b->row_bytes;
        multiply_row(row, wa, wb, chunks, sums);
        multiply_row(row1, wa, wb, chunks, sums + 2);
        multiply_row(row2, wa, wb, chunks, sums + 4);
        row = row2 + b->row_bytes;
        sums += 6;
    }
    return row;
}

/* Two rows at a time, or one, twice. */
static void multiply_twos(const block *b, const int8_t *row, int32_t *sums)
{
    while (sums != b->end) {
        const int8_t *x = row, *y = row + b->row_bytes, *w = b->weights;
        int32_t xa = 0, xb = 0, ya = 0, yb = 0;
        for (int32_t i = b->chunks; i > 0; i--) {
            const int8x16_t x0 = vldrbq_s8(x), y0 = vldrbq_s8(y);
            const int8x16_t wa = vldrbq_s8(w), wb = vldrbq_s8(w + 16);
            xa = vmladavaq_s8(xa, x0, wa), ya = vmladavaq_s8(ya, y0, wa);
            xb = vmladavaq_s8(xb, x0, wb), yb = vmladavaq_s8(yb, y0, wb);
            x += 16, y += 16, w += 32;
        }
        sums[0] = xa, sums[1] = xb, sums[2] = ya, sums[3] = yb;
        sums += 4;
        row += 2 * b->row_bytes;
    }
}

static void multiply(const block *b, const int8_t *row, int32_t *sums)
{
    if (b->threes > 0) {
        row = b->chunks == 1   ? multiply_short_threes(b, row, sums, 1)
              : b->chunks == 2 ? multiply_short_threes(b, row, sums, 2)
                               : multiply_threes(b, row, sums);
    }
    multiply_twos(b, row, b->threes_end);
}

/* How sums become outputs: the lanes of a vector are four rows by two channels. */
typedef struct finish {
    uint16x8_t places; /* of the lanes, from the first one */
    int32_t step;      /* bytes from a row to the next */
    int16_t offset, low, high;
} finish;

/* Requantizes all fours of rows, then what remains: cheaper than a predicate for each four. Shifts are < 0.
 */
static inline void requantize(const finish *f, const ct_matmul_pair *pair, const int32_t *sums, int32_t count,
                              int8_t *output)
{
    const int32_t bias0 = pair->bias[0], bias1 = pair->bias[1];
    const int32_t multiplier0 = pair->multiplier[0], multiplier1 = pair->multiplier[1];
    const int32_t shift0 = pair->shift[0], shift1 = pair->shift[1];
    const int16x8_t low = vdupq_n_s16(f->low), high = vdupq_n_s16(f->high);
    int32_t fours = count / 4;
    mve_pred16_t rows = 0xffff;
    for (;;) {
        for (; fours > 0; fours--) {
            const int32x4x2_t s = vld2q_s32(sums);
            int32x4_t a = vaddq_n_s32(s.val[0], bias0), b = vaddq_n_s32(s.val[1], bias1);
            /* The rounding shift rounds ties up; one less where the sum is negative makes that away from
             * zero. */
            a = vqrdmlahq_n_s32(vshrq_n_s32(a, 31), a, multiplier0);
            b = vqrdmlahq_n_s32(vshrq_n_s32(b, 31), b, multiplier1);
            a = vrshlq_n_s32(a, shift0);
            b = vrshlq_n_s32(b, shift1);
            int16x8_t y = vqmovntq_s32(vqmovnbq_s32(vuninitializedq_s16(), a), b);
            y = vqaddq_n_s16(y, f->offset);
            y = vminq_s16(vmaxq_s16(y, low), high);
            vstrbq_scatter_offset_p_s16(output, f->places, y, rows);
            sums += 8;
            output += 4 * f->step;
        }
        if (rows != 0xffff || count % 4 == 0) {
            break;
        }
        rows = vctp32q((uint32_t)count % 4);
        fours = 1;
    }
}

/* Factors of 1/2 and more have no second rounding, or a left shift. They are rare: the sums become four times
 * the result, and `requantize` shall divide by four. */
static __attribute__((noinline)) const ct_matmul_pair *requantize_large(const ct_matmul_pair *pair,
                                                                        int32_t *sums, int32_t count)
{
    static const ct_matmul_pair quarter = {.multiplier = {1 << 30, 1 << 30}, .shift = {-1, -1}};
    for (int32_t i = 0; i < 2 * count; i++) {
        const int32_t sum = (int32_t)((uint32_t)sums[i] + (uint32_t)pair->bias[i % 2]);
        const int32_t y = ct_requantize(sum, pair->multiplier[i % 2], pair->shift[i % 2]);
        sums[i] = 4 * ct_clamp(y, -1000, 1000);
    }
    return &quarter;
}

/* `count` <= m->rows_per_pass. */
static void multiply_pass(const ct_matmul *m, const int8_t *rows, int32_t row_bytes, int32_t count,
                          int8_t *output, int32_t output_step)
{
    const uint16x8_t lane = vidupq_n_u16(0, 1);
    const uint16x8_t channel = vandq_u16(lane, vdupq_n_u16(m->channels > 1));
    const finish f = {
        .places = vmlaq_n_u16(channel, vshrq_n_u16(lane, 1), (uint16_t)output_step),
        .step = output_step,
        .offset = (int16_t)m->output_offset,
        .low = (int16_t)m->activation_min,
        .high = (int16_t)m->activation_max,
    };
    const int32_t rest = count % 3;
    const int32_t in_twos = rest == 1 && count > 1 ? 4 : rest;
    int32_t *sums = m->sums;
    block b = {
        .weights = m->weights,
        .row_bytes = count > 1 ? row_bytes : 0,
        .skipped_bytes = row_bytes - 16 * m->chunks,
        .threes_end = sums + 2 * (count - in_twos),
        .more_chunks = m->chunks - 3,
        .chunks = m->chunks,
        .threes = (count - in_twos) / 3,
        .end = sums + 2 * (count + in_twos % 2),
    };
    int8_t *last = output + m->channels - 2;
    const ct_matmul_pair *pair = m->pairs, *end = pair + (m->channels + 1) / 2;
    do {
        multiply(&b, rows, sums);
        requantize(&f, pair->is_large ? requantize_large(pair, sums, count) : pair, sums, count, output);
        b.weights += 32 * m->chunks;
        output = output + 2 < last ? output + 2 : last;
    } while (++pair != end);
}

void ct_matmul_mve(const ct_matmul *m, const int8_t *rows, int32_t row_bytes, int32_t count, int8_t *output,
                   int32_t output_step)
{
    while (count > 0) {
        const int32_t pass = count < m->rows_per_pass ? count : m->rows_per_pass;
        multiply_pass(m, rows, row_bytes, pass, output, output_step);
        rows += pass * row_bytes;
        output += pass * output_step;
        count -= pass;
    }
}

void ct_matmul_copied_mve(const ct_matmul *m, const int8_t *rows, int32_t row_bytes, int32_t count,
                          int32_t copied_rows, int8_t *output, int32_t output_step, int8_t *copies)
{
    const int32_t in_place = count - copied_rows;
    ct_matmul_mve(m, rows, row_bytes, in_place, output, output_step);
    rows += in_place * row_bytes;
    output += in_place * output_step;
    int8_t *to = copies;
    for (int32_t bytes = copied_rows * row_bytes; bytes > 0; bytes -= 16) {
        vst1q_s8(to, vldrbq_z_s8(rows, vctp8q((uint32_t)bytes)));
        to += 16;
        rows += 16;
    }
    ct_matmul_mve(m, copies, row_bytes, copied_rows, output, output_step);
}
