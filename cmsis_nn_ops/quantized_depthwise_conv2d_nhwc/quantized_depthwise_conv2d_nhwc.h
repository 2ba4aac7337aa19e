/* int8 depthwise convolution, NHWC activations, per-channel requantization.
 *
 * Output channel o reads input channel i = o / depth_multiplier only:
 *
 *   acc[n,y,x,o] = bias[o] + sum((input[n,..,..,i] + input_offset) * weight[0,ky,kx,o])
 *   out[n,y,x,o] = clamp(requantize(acc, multiplier[o], shift[o]) + output_offset,
 *                        activation_min, activation_max)
 *
 * Pixels outside the input count as real zero (they add nothing to acc).
 */
#ifndef CT_QUANTIZED_DEPTHWISE_CONV2D_NHWC_H
#define CT_QUANTIZED_DEPTHWISE_CONV2D_NHWC_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_depthwise_conv2d_nhwc_params {
    uint16_t batches;
    uint16_t input_height, input_width, input_channels;
    uint16_t output_height, output_width;
    uint16_t depth_multiplier; /* output channels per input channel */
    uint16_t kernel_height, kernel_width;
    uint16_t stride_height, stride_width;
    uint16_t dilation_height, dilation_width; /* 1 where the kernel has a single tap */
    uint16_t pad_top, pad_left;               /* bottom and right follow from the output size */
    int16_t input_offset;                     /* minus the input's zero point, -127..128 */
    int8_t output_offset;                     /* the output's zero point */
    int8_t activation_min, activation_max;
    /* Helium only. "Width" is along the strips that the kernels work on, "height" across. */
    uint8_t is_transposed;    /* height and width of everything above are exchanged */
    uint8_t is_line;          /* words are along the strip, too: 16 pixels a vector */
    uint8_t window_words;     /* of four pixels, across a strip */
    uint8_t window_vectors;   /* of four words along the strip */
    uint8_t strips_per_block; /* that are interleaved together */
    uint8_t strip_rows;       /* of outputs, 1 or 2 */
    uint16_t strip_positions; /* along a strip, with its borders */
    uint16_t weight_bytes;    /* of a channel */
    /* DSP only, with is_transposed: the lines of its planes are like strips. */
    uint16_t tile_rows;    /* lines of outputs that are computed together */
    uint16_t tile_pitch;   /* words of a line of a plane */
    uint16_t tap_words;    /* of a channel's weights in pairs */
    uint8_t channel_words; /* of a channel's constants */
} ct_quantized_depthwise_conv2d_nhwc_params;

/* Portable. weight: [1, kernel_height, kernel_width, output channels]; bias, multipliers, shifts: one entry
 * per output channel; bias may be NULL. */
ct_status ct_quantized_depthwise_conv2d_nhwc(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                                             const int8_t *input, const int8_t *weight, const int32_t *bias,
                                             const int32_t *requantize_multipliers,
                                             const int32_t *requantize_shifts, int8_t *output);

/* Constants of the Helium kernels. `weights` of each output channel: its shift, the weights of its taps
 * (along the strip, then across), and a zero. The bias includes the input's zero point. */
typedef struct ct_depthwise_channel {
    int32_t bias, multiplier;
} ct_depthwise_channel;

/* Sixteen pixels of a window: four words along the strip, of four pixels across it, or along it in a line. */
typedef struct ct_depthwise_vector {
    uint8_t taps[16]; /* where the weights of the pixels stand in the bytes of a channel */
    uint32_t offset;  /* bytes from the window's first word */
} ct_depthwise_vector;

/* Helium, any window of less than 255 taps. scratch: see depthwise_mve.h. */
ct_status ct_quantized_depthwise_conv2d_nhwc_mve(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                                                 const int8_t *input, const int8_t *weights,
                                                 const ct_depthwise_channel *channels,
                                                 const ct_depthwise_vector *vectors, int8_t *output,
                                                 void *scratch);

/* The same for windows of one vector and stride 1 along the strip. Where strip_rows is 2: windows of up to
 * 3 x 3 pixels, stride 1 across, no dilation, at least two outputs along the strip; the second vector is the
 * first one, moved by one position. */
ct_status ct_quantized_depthwise_conv2d_nhwc_stride1_mve(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                                                         const int8_t *input, const int8_t *weights,
                                                         const ct_depthwise_channel *channels,
                                                         const ct_depthwise_vector *vectors, int8_t *output,
                                                         void *scratch);

/* The same for windows of one vector and stride 2 along the strip. */
ct_status ct_quantized_depthwise_conv2d_nhwc_stride2_mve(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                                                         const int8_t *input, const int8_t *weights,
                                                         const ct_depthwise_channel *channels,
                                                         const ct_depthwise_vector *vectors, int8_t *output,
                                                         void *scratch);

/* DSP extension, at least four channels, depth multiplier 1, no dilation along the lines; stride 1 along
 * them, or 2. channels: of each one, twice the bias (which includes the input's zero point), multiplier,
 * shift to the right less 1, and the weights, each row filled up to a multiple of four bytes. scratch: four
 * planes, then the paired weights of a channel, see quantized_depthwise_conv2d_nhwc_planes_dsp.h. `output`
 * may be the input if both have the same size, tile_rows is the output's height and channels are a multiple
 * of four. */
ct_status ct_quantized_depthwise_conv2d_nhwc_dsp(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                                                 const int8_t *input, const int32_t *channels, int8_t *output,
                                                 void *scratch);
ct_status ct_quantized_depthwise_conv2d_nhwc_stride2_dsp(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                                                         const int8_t *input, const int32_t *channels,
                                                         int8_t *output, void *scratch);

/* The same for windows of 3 x 3 pixels. */
ct_status ct_quantized_depthwise_conv2d_nhwc_3x3_dsp(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                                                     const int8_t *input, const int32_t *channels,
                                                     int8_t *output, void *scratch);
ct_status
ct_quantized_depthwise_conv2d_nhwc_3x3_stride2_dsp(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                                                   const int8_t *input, const int32_t *channels,
                                                   int8_t *output, void *scratch);

#endif
