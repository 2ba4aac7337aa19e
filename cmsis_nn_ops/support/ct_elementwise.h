/* A function of two numbers of one dtype, broadcast: whatever is not quantized. Integers narrower than 64
 * bits are computed in 64 bits and wrap when they are stored. Whatever float is NaN becomes the one of bits
 * 0x7FC00000. */
#ifndef CT_ELEMENTWISE_H
#define CT_ELEMENTWISE_H

#include "ct_broadcast.h"
#include "ct_key.h"
#include "ct_status.h"
#include <stdint.h>

typedef struct ct_elementwise {
    int64_t (*integer)(int64_t a, int64_t b);
    float (*real)(float a, float b);
    uint8_t divides; /* 1: an integer b of 0 ends the walk with CT_ERR_ARGUMENT */
} ct_elementwise;

/* `walk` has just begun. `output` may be an operand of its own size. */
ct_status ct_elementwise_run(const ct_elementwise *function, ct_broadcast *walk, ct_key_kind kind,
                             const void *a, const void *b, void *output);

#endif
