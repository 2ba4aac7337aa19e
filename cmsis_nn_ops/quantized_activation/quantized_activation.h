/* Function of one int8 variable: out[i] = lut[in[i] + 128]. */
#ifndef CT_QUANTIZED_ACTIVATION_H
#define CT_QUANTIZED_ACTIVATION_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_quantized_activation_params {
    uint32_t elements;
} ct_quantized_activation_params;

/* Portable. lut: [256], results for -128, -127, ... 127. output may be input. */
ct_status ct_quantized_activation(const ct_quantized_activation_params *p, const int8_t *input,
                                  const int8_t *lut, int8_t *output);

/* The same in Helium. */
ct_status ct_quantized_activation_mve(const ct_quantized_activation_params *p, const int8_t *input,
                                      const int8_t *lut, int8_t *output);

#endif
