/* Constant padding of up to four axes, seen as a box of rows that is copied into a filled output.
 *
 * A negative pad crops: the box is then smaller than the input. The host joins trailing axes without pads.
 */
#ifndef CT_PAD_H
#define CT_PAD_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_pad_params {
    uint32_t output_bytes;
    uint32_t input_begin, output_begin; /* first byte of the box */
    uint32_t counts[3];                 /* rows of the box along the outer axes */
    uint32_t input_strides[3];          /* bytes */
    uint32_t output_strides[3];
    uint32_t row_bytes; /* of the box */
    int8_t pad_value;
} ct_pad_params;

/* Portable. */
ct_status ct_pad(const ct_pad_params *p, const int8_t *input, int8_t *output);

#endif
