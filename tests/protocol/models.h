/* What bake would declare. */
#ifndef MODELS_H
#define MODELS_H

#include "ct.h"

#define CT_MODELS_ARENA_BYTES 8192u

extern const ct_model *const ct_models[];
extern const uint32_t ct_model_count;

#endif
