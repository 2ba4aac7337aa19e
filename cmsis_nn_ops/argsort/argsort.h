/* Where the entries of an axis stand that sorting puts in the places first .. first + count - 1. The input is
 * [outer, length, inner], the output [outer, count, inner].
 *
 *   input[o, out[o,k,i], i] is entry first + k of the sorted line input[o,:,i]
 *
 * Equal entries stay in order. NaN is larger than any number, and -0 equals 0.
 */
#ifndef CT_ARGSORT_H
#define CT_ARGSORT_H

#include "ct_status.h"
#include <stdint.h>

typedef struct ct_argsort_params {
    uint32_t outer, length, inner;
    uint32_t first, count;
    uint8_t kind;       /* of the entries: ct_key_kind */
    uint8_t descending; /* 1: the largest one is first */
} ct_argsort_params;

/* Portable; compares each entry with each other one of its line. */
ct_status ct_argsort(const ct_argsort_params *p, const void *input, int64_t *output);

/* The same for first 0, count 1: where the smallest or the largest entry is. */
ct_status ct_argsort_first(const ct_argsort_params *p, const void *input, int64_t *output);

#endif
