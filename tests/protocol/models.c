/* Handwritten "baked" models for tests of the protocol: every path of the server, in an image that a plain
 * host compiler makes. */
#include "models.h"

#include <string.h>

#define LENGTH 3000

/* calls[0] += 1; sum = a + b. A first byte of -128 in `a` makes it fail. */
static ct_status add(const void *params, void *const *operands)
{
    static int32_t calls;
    const int8_t *const a = operands[0];
    const int8_t *const b = operands[1];
    int8_t *const sum = operands[2];
    (void)params;
    if (a[0] == -128) {
        return CT_ERR_PARAMETER;
    }
    for (int i = 0; i < LENGTH; i++) {
        sum[i] = (int8_t)(uint8_t)((unsigned)a[i] + (unsigned)b[i]);
    }
    calls++;
    memcpy(operands[3], &calls, sizeof calls);
    return CT_OK;
}

/* In place over `a`, so that a second run without new inputs would show. */
static ct_status negate(const void *params, void *const *operands)
{
    const int8_t *const sum = operands[0];
    int8_t *const out = operands[1];
    (void)params;
    for (int i = 0; i < LENGTH; i++) {
        out[i] = (int8_t)(uint8_t)(0u - (unsigned)sum[i]);
    }
    return CT_OK;
}

static ct_status trap(const void *params, void *const *operands)
{
    (void)params;
    (void)operands;
    __builtin_trap();
}

enum { A = 0, B = 3008, SUM = 0, CALLS = 6016 };

static const int32_t shape[] = {3, 1000};
static const int32_t one[] = {1};
static const uint32_t refs[] = {A, B, B, CALLS, B, SUM};
static const ct_step steps[] = {{.kernel = add, .first_ref = 0, .ref_count = 4, .output = 2},
                                {.kernel = negate, .first_ref = 4, .ref_count = 2, .output = 1}};
static const ct_step_info step_info[] = {{"add_node", "add", LENGTH, CT_INT8},
                                         {"a node with a name of more than the eighty bytes that a text "
                                          "may have, so that it is cut",
                                          "negate", LENGTH, CT_INT8}};
static const ct_tensor_info inputs[] = {
    {.name = "a", .shape = shape, .ref = A, .bytes = LENGTH, .scale = 0.5f, .zero_point = -3, .rank = 2},
    {.name = "b", .shape = shape, .ref = B, .bytes = LENGTH, .scale = 0.25f, .zero_point = 7, .rank = 2},
};
static const ct_tensor_info outputs[] = {
    {.name = "negated", .shape = shape, .ref = SUM, .bytes = LENGTH, .scale = 1.0f, .rank = 2},
    {.name = "calls", .shape = one, .ref = CALLS, .bytes = 4, .dtype = CT_INT32, .rank = 1},
};
static const float constant[] CT_ARENA = {1.5f};
static const ct_tensor_info constant_output[] = {
    {.name = "c", .shape = NULL, .ref = CT_REF_CONST, .bytes = 4, .dtype = CT_FLOAT32},
};

#define MODEL(title, version, info) \
    {.abi = (version),              \
     .name = (title),               \
     .target = "any",               \
     .refs = refs,                  \
     .steps = steps,                \
     .step_info = (info),           \
     .inputs = inputs,              \
     .outputs = outputs,            \
     .step_count = 2,               \
     .input_count = 2,              \
     .output_count = 2,             \
     .arena_bytes = 6020,           \
     .pte_sha256 = {1, 2, 3}}

static const ct_model negated_sum = MODEL("negated_sum", CT_ABI, step_info);
static const ct_model stripped = MODEL("stripped", CT_ABI, NULL);
static const ct_model outdated = MODEL("outdated", CT_ABI + 1u, step_info);
static const ct_model constants = {.abi = CT_ABI,
                                   .name = "constants",
                                   .target = "any",
                                   .constants = (const uint8_t *)constant,
                                   .outputs = constant_output,
                                   .output_count = 1,
                                   .constant_bytes = sizeof constant};

static const ct_step trapping_steps[] = {{.kernel = add, .first_ref = 0, .ref_count = 4, .output = 2},
                                         {.kernel = trap, .first_ref = 4, .ref_count = 2, .output = 1}};
static const ct_step_info trapping_info[] = {{"add_node", "add", LENGTH, CT_INT8},
                                             {"trap_node", "trap", LENGTH, CT_INT8}};
static const ct_model trapping = {.abi = CT_ABI,
                                  .name = "trapping",
                                  .target = "any",
                                  .refs = refs,
                                  .steps = trapping_steps,
                                  .step_info = trapping_info,
                                  .inputs = inputs,
                                  .step_count = 2,
                                  .input_count = 2,
                                  .arena_bytes = 6020};

const ct_model *const ct_models[] = {&negated_sum, &stripped, &outdated, &constants, &trapping};
const uint32_t ct_model_count = sizeof ct_models / sizeof ct_models[0];
