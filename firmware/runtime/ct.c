#include "ct.h"

#include <string.h>

#if defined(__ARM_FEATURE_MVE)
#define LIBRARY_ISA CT_ISA_MVE
#elif defined(__ARM_FEATURE_DSP)
#define LIBRARY_ISA CT_ISA_DSP
#else
#define LIBRARY_ISA CT_ISA_SCALAR
#endif

/* With CT_TARGET ("cortex-m55") the library takes models of that CPU only; without it, whatever the
 * instruction set allows. */
static int is_for_this_target(const ct_model *model)
{
#ifdef CT_TARGET
    if (strcmp(model->target, "any") != 0 && strcmp(model->target, CT_TARGET) != 0) {
        return 0;
    }
#endif
    return model->isa <= LIBRARY_ISA;
}

static void *resolve(const ct_instance *instance, uint32_t ref)
{
    const uint32_t offset = ref & ~CT_REF_REGION;
    switch (ref & CT_REF_REGION) {
    case CT_REF_ARENA:
        return instance->arena + offset;
    case CT_REF_CONST:
        /* The table of operands is untyped; kernels declare their constant operands const. */
        return (void *)(uintptr_t)(instance->model->constants + offset);
    default:
        return NULL;
    }
}

ct_status ct_init(ct_instance *instance, const ct_model *model, void *arena, size_t arena_bytes)
{
    if (instance == NULL || model == NULL || (arena == NULL && model->arena_bytes != 0u)) {
        return CT_ERR_ARGUMENT;
    }
    if (model->abi != CT_ABI) {
        return CT_ERR_ABI;
    }
    if (!is_for_this_target(model)) {
        return CT_ERR_TARGET;
    }
    if (arena_bytes < model->arena_bytes) {
        return CT_ERR_ARENA_BYTES;
    }
    if (((uintptr_t)arena % CT_ARENA_ALIGNMENT) != 0u ||
        ((uintptr_t)model->constants % CT_ARENA_ALIGNMENT) != 0u) {
        return CT_ERR_ARENA_ALIGNMENT;
    }
    *instance = (ct_instance){.model = model, .arena = arena, .step = model->step_count};
    return CT_OK;
}

void *ct_input(const ct_instance *instance, uint32_t index)
{
    if (instance == NULL || instance->model == NULL || index >= instance->model->input_count) {
        return NULL;
    }
    return resolve(instance, instance->model->inputs[index].ref);
}

const void *ct_output(const ct_instance *instance, uint32_t index)
{
    if (instance == NULL || instance->model == NULL || index >= instance->model->output_count) {
        return NULL;
    }
    return resolve(instance, instance->model->outputs[index].ref);
}

const void *ct_step_output(const ct_instance *instance, uint32_t step)
{
    if (instance == NULL || instance->model == NULL || step >= instance->model->step_count) {
        return NULL;
    }
    const ct_step *s = &instance->model->steps[step];
    return resolve(instance, instance->model->refs[s->first_ref + s->output]);
}

/* Kept out of line: its entry is where a profiler sees a step begin. */
__attribute__((noinline)) static ct_status ct_run_step(ct_instance *instance, const ct_step *step)
{
    void *operands[CT_MAX_OPERANDS];
    const uint32_t *refs = instance->model->refs + step->first_ref;
    for (uint32_t i = 0; i < step->ref_count; i++) {
        operands[i] = resolve(instance, refs[i]);
    }
    return step->kernel(step->params, operands);
}

/* Out of line too: its entry is where a profiler sees a run end. */
__attribute__((noinline)) static void ct_run_end(ct_instance *instance)
{
    instance->step = instance->model->step_count;
}

ct_status ct_run(ct_instance *instance)
{
    if (instance == NULL || instance->model == NULL) {
        return CT_ERR_ARGUMENT;
    }
    return ct_run_steps(instance, 0u, instance->model->step_count);
}

/* Out of line too: its entry is where a profiler sees a run begin. */
__attribute__((noinline)) ct_status ct_run_steps(ct_instance *instance, uint32_t first, uint32_t end)
{
    if (instance == NULL || instance->model == NULL || end > instance->model->step_count) {
        return CT_ERR_ARGUMENT;
    }
    const ct_model *model = instance->model;
    for (uint32_t i = first; i < end; i++) {
        instance->step = i;
        if (instance->hook != NULL) {
            instance->hook(instance->hook_context, instance, i, 0);
        }
        const ct_status status = ct_run_step(instance, &model->steps[i]);
        if (status != CT_OK) {
            return status;
        }
        if (instance->hook != NULL) {
            instance->hook(instance->hook_context, instance, i, 1);
        }
    }
    ct_run_end(instance);
    return CT_OK;
}

const char *ct_status_text(ct_status status)
{
    switch (status) {
#define CT_STATUS_CASE(name, value, text) \
    case name:                            \
        return text;
        CT_STATUS_TABLE(CT_STATUS_CASE)
#undef CT_STATUS_CASE
    default:
        return "unknown status";
    }
}
