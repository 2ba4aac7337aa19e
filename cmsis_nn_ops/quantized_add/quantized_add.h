/* int8 addition of operands with different scales, fused activation. A negative multiplier subtracts.
 *
 *   a   = requantize((self  - self_zero_point)  * 2^20, self_multiplier,  self_shift)
 *   b   = requantize((other - other_zero_point) * 2^20, other_multiplier, other_shift)
 *   y   = requantize(a + b, output_multiplier, output_shift) + output_zero_point
 *   out = clamp(y, activation_min, activation_max)
 */
#ifndef CT_QUANTIZED_ADD_H
#define CT_QUANTIZED_ADD_H

#include "ct_broadcast.h"
#include "ct_status.h"
#include <stdint.h>

/* Nothing overflows int32, left shifts included, for any operands: the exporter has checked it. */
typedef struct ct_quantized_add_params {
    uint32_t sizes[CT_BROADCAST_RANK]; /* of the output, outermost first */
    int32_t self_multiplier, other_multiplier;
    int32_t output_multiplier;
    int8_t self_shift, other_shift, output_shift; /* -31..30 */
    int8_t self_zero_point, other_zero_point, output_zero_point;
    int8_t activation_min, activation_max;
    uint8_t self_repeats, other_repeats; /* bit d: the operand has size 1 where sizes[d] counts */
} ct_quantized_add_params;

/* Portable; operands of the output's size. `output` may be one of them. */
ct_status ct_quantized_add(const ct_quantized_add_params *p, const int8_t *self, const int8_t *other,
                           int8_t *output);

/* Portable, any broadcast. `output` may be an operand of its own size. */
ct_status ct_quantized_add_broadcast(const ct_quantized_add_params *p, const int8_t *self,
                                     const int8_t *other, int8_t *output);

/* Helium; as ct_quantized_add. The factor of `other` is a power of two: its multiplier is +-2^30, its shift
 * -3..0; that of `self` is so too, or its shift is < 0; output_multiplier >= 0, output_shift < 0. */
ct_status ct_quantized_add_mve(const ct_quantized_add_params *p, const int8_t *self, const int8_t *other,
                               int8_t *output);

/* DSP extension; as ct_quantized_add. The factor of `other` is a power of two: its multiplier is +-2^30, its
 * shift -19..0; output_multiplier >= 0, output_shift < 0. scratch: a table of 1 KB, the worth of `self`. */
ct_status ct_quantized_add_dsp(const ct_quantized_add_params *p, const int8_t *self, const int8_t *other,
                               int8_t *output, void *scratch);

#endif
