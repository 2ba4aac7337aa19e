"""Baked models written by hand: a build of them needs no torch, and their kernels may misbehave."""

from __future__ import annotations

from pathlib import Path

from cortorch.files import write_if_changed

MODELS_H = """
#include "ct.h"
#define CT_MODELS_ARENA_BYTES {arena_bytes}u
typedef struct ct_sample {{
    const void *const *inputs;
    const char *label;
}} ct_sample;
extern const ct_model *const ct_models[];
extern const uint32_t ct_model_count;
extern const ct_sample *const ct_samples[];
extern const uint32_t ct_sample_counts[];
"""

# Two steps on one int32: y = w[0] * x + 1, then z = KERNEL(y).
MODELS_C = """
#include "models.h"
#define UNUSED __attribute__((unused))
static const struct {{ int32_t factor[4], filler[{filler}]; }} constants
    __attribute__((section(".ct_weights.toy"), aligned(16))) = {{{{3}}, {{0}}}};
static ct_status scale(UNUSED const void *params, void *const *operands)
{{
    *(int32_t *)operands[2] = *(int32_t *)operands[0] * *(int32_t *)operands[1] + 1;
    return CT_OK;
}}
{helpers}
static ct_status misbehave(UNUSED const void *params, void *const *operands)
{{
    UNUSED const int32_t y = *(int32_t *)operands[0];
    int32_t z = y;
    {kernel}
    *(int32_t *)operands[1] = z;
    return CT_OK;
}}
static const uint32_t refs[] = {{CT_REF_ARENA, CT_REF_CONST, CT_REF_ARENA + 16u,
                                CT_REF_ARENA + 16u, CT_REF_ARENA + 32u}};
static const ct_step steps[] = {{{{scale, NULL, 0, 3, 2}}, {{misbehave, NULL, 3, 2, 1}}}};
static const ct_step_info info[] = {{{{"scale_1", "toy_scale", 4, CT_INT32}},
                                    {{"bad_1", "toy_bad", 4, CT_INT32}}}};
static const int32_t shape[] = {{1}};
static const ct_tensor_info input = {{"x", shape, 0, 4, 0.5f, -3, CT_INT32, 1}};
static const ct_tensor_info output = {{"z", shape, 32, 4, 0.0f, 0, CT_INT32, 1}};
static const ct_model toy = {{
    .abi = CT_ABI, .isa = CT_ISA_SCALAR, .name = "toy", .target = "any",
    .constants = (const uint8_t *)&constants, .refs = refs, .steps = steps, .step_info = info,
    .inputs = &input, .outputs = &output, .step_count = 2, .input_count = 1, .output_count = 1,
    .arena_bytes = 48, .constant_bytes = sizeof constants,
}};
const ct_model *const ct_models[] = {{&toy}};
const uint32_t ct_model_count = 1;
static const int32_t five = 5;
static const void *const inputs[] = {{&five}};
static const ct_sample samples[] = {{{{inputs, "five"}}}};
const ct_sample *const ct_samples[] = {{samples}};
const uint32_t ct_sample_counts[] = {{1}};
"""


def write(
    folder: Path, kernel: str = "z = y;", helpers: str = "", filler: int = 4, arena_bytes: int = 48
) -> Path:
    """Writes models.c and models.h. `kernel`: C statements that compute `z` from `y`."""
    source = MODELS_C.format(kernel=kernel, helpers=helpers, filler=filler)
    write_if_changed(folder / "models.h", MODELS_H.format(arena_bytes=arena_bytes))
    write_if_changed(folder / "models.c", source)
    return folder
