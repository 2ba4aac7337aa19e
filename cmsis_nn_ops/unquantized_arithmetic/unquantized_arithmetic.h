/* Functions of two int32, int64 or float32 numbers, broadcast: what is not quantized.
 *
 * The numbers in front are those of the schema. Integers wrap; a division by zero is CT_ERR_ARGUMENT. Floats
 * are IEEE 754 binary32: each operation named here is rounded to nearest once, none is contracted, subnormals
 * count.
 *
 *   0 add, 1 sub, 2 mul   a + b, a - b, a * b
 *   3 div                  a / b (floats)
 *   4 div_trunc            a / b without its fraction
 *   5 div_floor            the largest integer that is not above a / b. Floats: from the exact remainder, as
 *                          PyTorch
 *   6 fmod                 a - b * div_trunc, exact, with the sign of a
 *   7 remainder            fmod, plus b where the signs of the two differ
 */
#ifndef CT_UNQUANTIZED_ARITHMETIC_H
#define CT_UNQUANTIZED_ARITHMETIC_H

#include "ct_broadcast.h"
#include "ct_status.h"
#include <stdint.h>

typedef struct ct_unquantized_arithmetic_params {
    uint32_t sizes[CT_BROADCAST_RANK];   /* of the output, outermost first */
    uint8_t kind;                        /* ct_key_kind */
    uint8_t self_repeats, other_repeats; /* bit d: the operand has size 1 where sizes[d] counts */
} ct_unquantized_arithmetic_params;

/* All are portable. `output` may be an operand of its own size. */
ct_status ct_unquantized_arithmetic_add(const ct_unquantized_arithmetic_params *p, const void *self,
                                        const void *other, void *output);
ct_status ct_unquantized_arithmetic_sub(const ct_unquantized_arithmetic_params *p, const void *self,
                                        const void *other, void *output);
ct_status ct_unquantized_arithmetic_mul(const ct_unquantized_arithmetic_params *p, const void *self,
                                        const void *other, void *output);
ct_status ct_unquantized_arithmetic_div(const ct_unquantized_arithmetic_params *p, const float *self,
                                        const float *other, float *output);
ct_status ct_unquantized_arithmetic_div_trunc(const ct_unquantized_arithmetic_params *p, const void *self,
                                              const void *other, void *output);
ct_status ct_unquantized_arithmetic_div_floor(const ct_unquantized_arithmetic_params *p, const void *self,
                                              const void *other, void *output);
ct_status ct_unquantized_arithmetic_fmod(const ct_unquantized_arithmetic_params *p, const void *self,
                                         const void *other, void *output);
ct_status ct_unquantized_arithmetic_remainder(const ct_unquantized_arithmetic_params *p, const void *self,
                                              const void *other, void *output);

#endif
