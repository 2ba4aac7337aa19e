/* What the Helium kernels of the depthwise convolution share.
 *
 * They multiply 16 bytes at a time, four by four pixels of one channel. So the input is interleaved, strip by
 * strip: a word is four pixels across the strip, words of 16 channels stand side by side, and then comes the
 * next position along the strip. A gather of four words is a window of one channel. A kernel of one row,
 * longer than four, makes a line: its words are four pixels along the strip, and a gather takes every fourth
 * of them.
 *
 * Scratch holds strips_per_block strips of window_words * strip_positions positions; for lines, 16 bytes for
 * each position of one strip and for the three dilated steps behind them, too.
 */
#ifndef CT_DEPTHWISE_MVE_H
#define CT_DEPTHWISE_MVE_H

#include "quantized_depthwise_conv2d_nhwc.h"
#include <arm_mve.h>
#include <stddef.h>

#define CT_DEPTHWISE_BLOCK 16          /* channels that are interleaved together */
#define CT_DEPTHWISE_POSITION_BYTES 64 /* from a position to the next */
#define CT_DEPTHWISE_MOST_STRIPS 4     /* that are interleaved together */

/* Strips that are computed together, and their outputs. */
typedef struct ct_depthwise_block {
    const ct_quantized_depthwise_conv2d_nhwc_params *p;
    const ct_depthwise_vector *vectors; /* of a window */
    const int8_t *words;                /* of the first strip */
    int32_t rows;                       /* outputs across a strip, 1 or 2 */
    int32_t strips;                     /* at most CT_DEPTHWISE_MOST_STRIPS */
    int32_t top;                        /* row of outputs where the first one begins */
    int32_t strip_bytes;                /* of words, from a strip to the next */
    int32_t along_bytes, across_bytes;  /* from an output to its neighbours */
    /* What follows changes with the channels. */
    const int8_t *weights; /* of the first output channel, and so on */
    const ct_depthwise_channel *constants;
    int8_t *output;   /* of the first strip's first pixel */
    int32_t channels; /* of the input, at most CT_DEPTHWISE_BLOCK */
} ct_depthwise_block;

/* Some fours of outputs, one after the other along a strip, and the way to the next run. */
typedef struct ct_depthwise_run {
    int32_t count;
    int32_t window_skip; /* bytes from behind the run to the next one, of words */
    int32_t output_skip; /* the same of outputs */
    const struct ct_depthwise_run *next;
} ct_depthwise_run;

/* Work on a block four outputs at a time, `rows` by 4 / rows of them. */
typedef struct ct_depthwise_pass {
    ct_depthwise_run runs[2 * CT_DEPTHWISE_MOST_STRIPS]; /* the last one's next is the first one */
    int32_t run_count;
    int32_t channels;      /* that are left */
    const int8_t *weights; /* of the next channel, and so on */
    const ct_depthwise_channel *constants;
    int8_t *output;
    uint32_t window;      /* early by `advance`: a gather moves on before it loads */
    int32_t weight_bytes; /* of a channel */
    int32_t step;         /* bytes from four outputs to the next four */
    int32_t advance;      /* bytes of words that a gather moves on */
    int32_t offset;
    uint32_t present;  /* lanes that `store` stores, as a predicate */
    uint32x4_t places; /* of the lanes, from the first one */
    int32x4_t low, high;
    uint32x4_t columns; /* of a window, from the first one */
    uint8x16_t taps, moved_taps;
} ct_depthwise_pass;

typedef void (*ct_depthwise_compute)(const ct_depthwise_block *b, ct_depthwise_pass *pass);

/* Interleaves the input block by block, and calls `compute` for each; strips of `rows` (1 or 2) rows of
 * outputs, and a last one of a single row. */
void ct_depthwise_strips_mve(const ct_quantized_depthwise_conv2d_nhwc_params *p, const int8_t *input,
                             const int8_t *weights, const ct_depthwise_channel *constants,
                             const ct_depthwise_vector *vectors, int8_t *output, int8_t *words, int32_t rows,
                             ct_depthwise_compute compute);

/* Everything about a pass that does not depend on the channels. */
void ct_depthwise_plan_mve(const ct_depthwise_block *b, ct_depthwise_pass *pass);

/* Computes a block with a function that does as many channels of a pass as it can. */
void ct_depthwise_fours_mve(const ct_depthwise_block *b, ct_depthwise_pass *pass,
                            void (*compute)(ct_depthwise_pass *pass));

/* Channels of a pass, up to one whose factor is 1/2 or more (a shift >= 0). `body` makes four sums in r2, r4,
 * r6, r8 from the windows behind q3, the weights in q4, and in q5 those moved by a position; `store` is
 * the instruction that stores. Assembly, because compilers spill a dozen registers around the inner loop,
 * which is often short. q0: places, q1: low, q2: high. */
#define CT_DEPTHWISE_CHANNELS(pass, body, store)                                                             \
    do {                                                                                                     \
        const ct_depthwise_pass *f_ = (pass);                                                                \
        int32_t bias_, multiplier_, shift_, runs_;                                                           \
        int8_t *output_;                                                                                     \
        __asm__ volatile(                                                                                    \
            "ldr        r2, [%[f], %[present]]\n\t"                                                          \
            "vmsr       p0, r2\n\t"                                                                          \
            "vldrw.u32  q0, [%[f], %[places]]\n\t"                                                           \
            "vldrw.u32  q1, [%[f], %[low]]\n\t"                                                              \
            "vldrw.u32  q2, [%[f], %[high]]\n"                                                               \
            "1:\n\t" /* each channel */                                                                      \
            "ldrd       r2, r4, [%[f], %[weights]]\n\t"                                                      \
            "ldrsb      %[shift], [r2]\n\t"                                                                  \
            "cmp        %[shift], #0\n\t"                                                                    \
            "bge        4f\n\t"                                                                              \
            "vldrw.u32  q6, [%[f], %[taps]]\n\t"                                                             \
            "vldrb.u8   q4, [r2, q6]\n\t"                                                                    \
            "vldrw.u32  q7, [%[f], %[moved_taps]]\n\t"                                                       \
            "vldrb.u8   q5, [r2, q7]\n\t"                                                                    \
            "ldr        r6, [%[f], %[weight_bytes]]\n\t"                                                     \
            "add        r2, r6\n\t"                                                                          \
            "ldrd       %[bias], %[multiplier], [r4], #8\n\t"                                                \
            "strd       r2, r4, [%[f], %[weights]]\n\t"                                                      \
            "vldrw.u32  q3, [%[f], %[columns]]\n\t"                                                          \
            "ldrd       %[output], r6, [%[f], %[first_output]]\n\t"                                          \
            "vadd.i32   q3, q3, r6\n\t"                                                                      \
            "add        r4, %[output], #1\n\t"                                                               \
            "adds       r6, #4\n\t"                                                                          \
            "strd       r4, r6, [%[f], %[first_output]]\n\t"                                                 \
            "ldr        %[runs], [%[f], %[run_count]]\n"                                                     \
            "2:\n\t" /* each run */                                                                          \
            "ldr        lr, [%[f], %[count]]\n\t"                                                            \
            "dls        lr, lr\n"                                                                            \
            "3:\n\t" /* each four */                                                                         \
            body "vmov          q7[2], q7[0], r2, r6\n\t"                                                    \
            "vmov          q7[3], q7[1], r4, r8\n\t"                                                         \
            "vadd.i32      q7, q7, %[bias]\n\t"                                                              \
            "vshr.s32      q6, q7, #31\n\t" /* see ct_requantize_mve */                                      \
            "vqrdmlah.s32  q6, q7, %[multiplier]\n\t"                                                        \
            "vrshl.s32     q6, %[shift]\n\t"                                                                 \
            "vadd.i32      q6, q6, %[offset]\n\t"                                                            \
            "vmax.s32      q6, q6, q1\n\t"                                                                   \
            "vmin.s32      q6, q6, q2\n\t" store " q6, [%[output], q0]\n\t"                                  \
            "add        %[output], %[step]\n\t"                                                              \
            "le         lr, 3b\n\t"                                                                          \
            "ldrd       r2, r4, [%[f], %[window_skip]]\n\t"                                                  \
            "vadd.i32   q3, q3, r2\n\t"                                                                      \
            "add        %[output], r4\n\t"                                                                   \
            "ldr        %[f], [%[f], %[next]]\n\t" /* the last run leads back to the pass */                 \
            "subs       %[runs], #1\n\t"                                                                     \
            "bne        2b\n\t"                                                                              \
            "ldr        r2, [%[f], %[channels]]\n\t"                                                         \
            "subs       r2, #1\n\t"                                                                          \
            "str        r2, [%[f], %[channels]]\n\t"                                                         \
            "bne        1b\n"                                                                                \
            "4:"                                                                                             \
            : [f] "+r"(f_), [bias] "=&r"(bias_), [multiplier] "=&r"(multiplier_), [shift] "=&r"(shift_),     \
              [runs] "=&r"(runs_), [output] "=&r"(output_)                                                   \
            : [offset] "r"(f_->offset), [step] "r"(f_->step), CT_DEPTHWISE_AT(present),                      \
              CT_DEPTHWISE_AT(places), CT_DEPTHWISE_AT(low), CT_DEPTHWISE_AT(high),                          \
              CT_DEPTHWISE_AT(weights), CT_DEPTHWISE_AT(taps), CT_DEPTHWISE_AT(moved_taps),                  \
              CT_DEPTHWISE_AT(weight_bytes),                                                                 \
              CT_DEPTHWISE_AT(columns), [first_output] "i"(offsetof(ct_depthwise_pass, output)),             \
              CT_DEPTHWISE_AT(run_count), [count] "i"(offsetof(ct_depthwise_run, count)),                    \
              [window_skip] "i"(offsetof(ct_depthwise_run, window_skip)),                                    \
              [next] "i"(offsetof(ct_depthwise_run, next)), CT_DEPTHWISE_AT(channels)                        \
            : "r2", "r4", "r6", "r8", "lr", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "cc", "memory"); \
    } while (0)

#define CT_DEPTHWISE_AT(field) [field] "i"(offsetof(ct_depthwise_pass, field))

#endif
