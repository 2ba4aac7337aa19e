/* int8 multiplication.
 *
 *   product = (self - self_zero_point) * (other - other_zero_point)
 *   out     = saturate(requantize(product, output_multiplier, output_shift) + output_zero_point)
 */
#ifndef CT_QUANTIZED_MUL_H
#define CT_QUANTIZED_MUL_H

#include "ct_broadcast.h"
#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_mul_params {
    uint32_t sizes[CT_BROADCAST_RANK]; /* of the output, outermost first */
    int32_t output_multiplier;
    int8_t output_shift; /* -31..15: |product| <= 255 * 255 fits int32 after it */
    int8_t self_zero_point, other_zero_point, output_zero_point;
    uint8_t self_repeats, other_repeats; /* bit d: the operand has size 1 where sizes[d] counts */
} ct_quantized_mul_params;

/* Portable; operands of the output's size. `output` may be one of them. */
ct_status ct_quantized_mul(const ct_quantized_mul_params *p, const int8_t *self, const int8_t *other,
                           int8_t *output);

/* Portable, any broadcast. `output` may be an operand of its own size. */
ct_status ct_quantized_mul_broadcast(const ct_quantized_mul_params *p, const int8_t *self,
                                     const int8_t *other, int8_t *output);

/* Helium; as ct_quantized_mul, output_multiplier >= 0, output_shift < 0. */
ct_status ct_quantized_mul_mve(const ct_quantized_mul_params *p, const int8_t *self, const int8_t *other,
                               int8_t *output);

/* DSP extension; output_multiplier >= 0, output_shift < 0. */
ct_status ct_quantized_mul_dsp(const ct_quantized_mul_params *p, const int8_t *self, const int8_t *other,
                               int8_t *output);
ct_status ct_quantized_mul_broadcast_dsp(const ct_quantized_mul_params *p, const int8_t *self,
                                         const int8_t *other, int8_t *output);

#endif
