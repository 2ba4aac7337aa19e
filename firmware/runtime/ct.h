/* CorTorch: run a baked model. Plain C11, no heap, no static state; usable from bare metal or any RTOS.
 *
 *     static uint8_t arena[DIGITS_ARENA_BYTES] CT_ARENA;
 *     ct_instance net;
 *     ct_init(&net, &digits_model, arena, sizeof arena);
 *     memcpy(ct_input(&net, 0), image, digits_model.inputs[0].bytes);
 *     ct_run(&net);
 *     const float *scores = ct_output(&net, 0);
 *
 * An instance is not locked: one task at a time. Several models may share one arena if their runs do not
 * overlap and each one's input is written after the other's output was read.
 */
#ifndef CT_H
#define CT_H

#include <stddef.h>
#include <stdint.h>

#include "ct_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Layout version of the structs below; a model baked for another one is refused by ct_init. */
#define CT_ABI 1u

/* Alignment of the arena, of the weights and of every tensor, in bytes. */
#define CT_ARENA_ALIGNMENT 16u
#define CT_ARENA __attribute__((aligned(16)))

/* Most tensors that one kernel call may name. */
#define CT_MAX_OPERANDS 16u

typedef enum ct_dtype {
    CT_INT8 = 0,
    CT_UINT8 = 1,
    CT_INT16 = 2,
    CT_INT32 = 3,
    CT_INT64 = 4,
    CT_FLOAT32 = 5,
    CT_BOOL = 6
} ct_dtype;

/* Instruction set that the library is compiled for; a model states what its kernels need. */
typedef enum ct_isa { CT_ISA_SCALAR = 0, CT_ISA_DSP = 1, CT_ISA_MVE = 2 } ct_isa;

/* Where an operand lives: the upper two bits of a reference choose the region, the lower 30 are a byte
 * offset. */
#define CT_REF_ARENA 0x00000000u
#define CT_REF_CONST 0x40000000u
#define CT_REF_NONE 0xC0000000u
#define CT_REF_REGION 0xC0000000u

/* Runs one operator. `params` is the operator's own struct; `operands` follow the order of its C prototype.
 */
typedef ct_status (*ct_kernel)(const void *params, void *const *operands);

/* One call of a kernel. Its operands are refs[first_ref .. first_ref + ref_count). */
typedef struct ct_step {
    ct_kernel kernel;
    const void *params;
    uint16_t first_ref;
    uint8_t ref_count; /* <= CT_MAX_OPERANDS */
    uint8_t output;    /* index of the (first) output among the operands */
} ct_step;

/* What a person wants to know of a step; absent (model->step_info == NULL) in a stripped model. */
typedef struct ct_step_info {
    const char *name;   /* node of the exported graph */
    const char *kernel; /* C function */
    uint32_t output_bytes;
    uint8_t output_dtype; /* ct_dtype */
} ct_step_info;

/* real = scale * (quantized - zero_point); scale is 0 for tensors that are not quantized. */
typedef struct ct_tensor_info {
    const char *name;
    const int32_t *shape;
    uint32_t ref; /* CT_REF_ARENA or CT_REF_CONST (a constant output) */
    uint32_t bytes;
    float scale;
    int32_t zero_point;
    uint8_t dtype; /* ct_dtype */
    uint8_t rank;
} ct_tensor_info;

/* A baked model: const, in flash, position fixed at link time. */
typedef struct ct_model {
    uint16_t abi; /* CT_ABI of the baker */
    uint8_t isa;  /* ct_isa that the kernels need */
    uint8_t reserved;
    const char *name;
    const char *target; /* "cortex-m55", "host", ...; "any" for portable kernels, written by hand */
    const uint8_t *constants;
    const uint32_t *refs;
    const ct_step *steps;
    const ct_step_info *step_info;
    const ct_tensor_info *inputs;
    const ct_tensor_info *outputs;
    uint16_t step_count;
    uint8_t input_count;
    uint8_t output_count;
    uint32_t arena_bytes;
    uint32_t constant_bytes;
    uint8_t pte_sha256[32]; /* of the .pte that was baked */
} ct_model;

struct ct_instance;

/* Called before (after == 0) and after (after == 1) each step, if set. */
typedef void (*ct_hook)(void *context, const struct ct_instance *instance, uint32_t step, int after);

/* Owned by the caller; its fields are private but for `hook` and `hook_context`. */
typedef struct ct_instance {
    const ct_model *model;
    uint8_t *arena;
    volatile uint32_t step; /* the step that is running, for fault reports; step_count when idle */
    ct_hook hook;
    void *hook_context;
} ct_instance;

/* Binds a model to an arena of at least model->arena_bytes. The arena stays the caller's and must outlive the
 * instance. */
ct_status ct_init(ct_instance *instance, const ct_model *model, void *arena, size_t arena_bytes);

/* Buffer of input or output `index`; NULL if out of range. An input is valid to write before ct_run and may
 * be overwritten by it; an output is valid from the end of ct_run until the arena is used again. */
void *ct_input(const ct_instance *instance, uint32_t index);
const void *ct_output(const ct_instance *instance, uint32_t index);

/* Output buffer of a step, for dumps from a hook; NULL if out of range. */
const void *ct_step_output(const ct_instance *instance, uint32_t step);

/* Runs every step in order; stops at, and returns, the first status that is not CT_OK (instance->step names
 * it). */
ct_status ct_run(ct_instance *instance);

/* The same for the steps first to end - 1, for whoever looks at tensors between two steps. The steps before
 * `first` must have run on the current input. */
ct_status ct_run_steps(ct_instance *instance, uint32_t first, uint32_t end);

/* Text of a status, never NULL. */
const char *ct_status_text(ct_status status);

#ifdef __cplusplus
}
#endif
#endif
