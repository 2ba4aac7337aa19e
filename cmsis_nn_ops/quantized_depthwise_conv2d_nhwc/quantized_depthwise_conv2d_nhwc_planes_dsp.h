/* What the DSP kernels of the depthwise convolution share.
 *
 * A tile of the input is transposed: a plane of int16 for each of four channels, two pixels in a word, with
 * its borders. The lines of a plane begin where the window of the first output does. Then each channel goes
 * through its plane with its weights in pairs, for SMLAD, computing four outputs at once.
 */
#ifndef CT_DEPTHWISE_PLANES_DSP_H
#define CT_DEPTHWISE_PLANES_DSP_H

#include "ct_requantize_dsp.h"
#include "quantized_depthwise_conv2d_nhwc.h"

/* Channels that a word has; outputs that are computed together. */
#define CT_DEPTHWISE_CHANNELS 4
#define CT_DEPTHWISE_OUTPUTS 4

/* What a channel does with its plane; assembly knows the order of the fields. `compute` uses up some of them.
 */
typedef struct ct_depthwise_plane {
    int32_t multiplier, rounding, shift;
    int32_t output_step;                     /* bytes from an output of a line to the next */
    const uint32_t *x;                       /* window of the first output; used up */
    const uint32_t *taps;                    /* weights of the channel, twice, in pairs */
    int32_t pitch_bytes;                     /* from a row of a window to the next */
    int32_t bias;                            /* twice */
    int32_t width;                           /* outputs of a line */
    int8_t *output;                          /* used up */
    int32_t x_line_bytes, output_line_bytes; /* from the beginning of a line to that of the next */
    int32_t lines;                           /* used up */
    int32_t count;                           /* of `compute`, as is next */
    int8_t *next;
    const uint32_t *taps_end;
} ct_depthwise_plane;

/* How a kind of window is computed. */
typedef struct ct_depthwise_method {
    /* Pairs the weights of a channel, whose rows are filled up to multiples of four. */
    void (*pair_taps)(const ct_quantized_depthwise_conv2d_nhwc_params *p, const int32_t *weights,
                      const ct_depthwise_plane *plane, uint32_t *taps);
    void (*compute)(const ct_quantized_depthwise_conv2d_nhwc_params *p, ct_depthwise_plane *plane);
} ct_depthwise_method;

/* Computes everything. */
ct_status ct_depthwise_dsp(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                           const ct_depthwise_method *method, const int8_t *input, const int32_t *channels,
                           int8_t *output, void *scratch);

#endif
