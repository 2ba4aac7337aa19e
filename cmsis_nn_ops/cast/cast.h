/* Numbers of one dtype as those of another:
 *
 *   to float32       to nearest, ties to even
 *   to bool          1 unless it is 0 (so NaN is 1)
 *   float32 to int   without its fraction; saturates; NaN is 0
 *   int to int       wraps
 */
#ifndef CT_CAST_H
#define CT_CAST_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_cast_params {
    uint32_t elements;
    uint8_t from, to; /* ct_key_kind */
    uint8_t to_bool;  /* 1: `to` is CT_KEY_UINT8, and means truth values */
} ct_cast_params;

/* Portable. */
ct_status ct_cast(const ct_cast_params *p, const void *input, void *output);

#endif
