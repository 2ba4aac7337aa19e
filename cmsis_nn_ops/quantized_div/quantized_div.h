/* int8 division, broadcast, in float32 arithmetic; each operation is rounded to nearest, ties to even:
 *
 *   q   = (self - self_zero_point) / (other - other_zero_point), 0 where the divisor is 0
 *   out = clamp(round(q * output_scale) + output_zero_point, -128, 127)
 *
 * A real division by zero has no place in int8; 0 is what upstream's kernel gives for it.
 */
#ifndef CT_QUANTIZED_DIV_H
#define CT_QUANTIZED_DIV_H

#include "ct_broadcast.h"
#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_div_params {
    uint32_t sizes[CT_BROADCAST_RANK]; /* of the output, outermost first */
    float output_scale;                /* scale of self / (scale of other * scale of the output) */
    int8_t self_zero_point, other_zero_point, output_zero_point;
    uint8_t self_repeats, other_repeats; /* bit d: the operand has size 1 where sizes[d] counts */
} ct_quantized_div_params;

/* Portable. `output` may be an operand of its own size. */
ct_status ct_quantized_div(const ct_quantized_div_params *p, const int8_t *self, const int8_t *other,
                           int8_t *output);

#endif
