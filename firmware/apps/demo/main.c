/* Shows on the console what is in the image, and runs each model on its samples, or on zeros. */
#include <string.h>

#include "ct_board.h"
#include "ct_platform.h"
#include "ct_text.h"
#include "models.h"
#include "tensor.h"

CT_ARENA CT_ARENA_SECTION static uint8_t arena[CT_MODELS_ARENA_BYTES + CT_ARENA_ALIGNMENT];

static void put_tensors(const char *kind, const ct_tensor_info *tensors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ct_text("  ");
        ct_text(kind);
        ct_text(" ");
        ct_text_unsigned(i);
        ct_text("  ");
        demo_put_type(&tensors[i]);
        ct_text("\n");
    }
}

static void put_model(const ct_model *model)
{
    ct_text("\nmodel ");
    ct_text(model->name);
    ct_text(": ");
    ct_text_unsigned(model->step_count);
    ct_text(" steps, weights ");
    ct_text_unsigned(model->constant_bytes);
    ct_text(" bytes, arena ");
    ct_text_unsigned(model->arena_bytes);
    ct_text(" bytes\n");
    put_tensors("input ", model->inputs, model->input_count);
    put_tensors("output", model->outputs, model->output_count);
}

static void load(const ct_instance *instance, const ct_sample *sample)
{
    for (uint32_t i = 0; i < instance->model->input_count; i++) {
        void *input = ct_input(instance, i);
        const uint32_t bytes = instance->model->inputs[i].bytes;
        if (sample != NULL) {
            memcpy(input, sample->inputs[i], bytes);
        } else {
            memset(input, 0, bytes);
        }
    }
}

static void put_sample(const ct_sample *sample)
{
    if (sample == NULL) {
        ct_text("  on zeros");
    } else {
        ct_text("  on ");
        ct_text(sample->label != NULL ? sample->label : "a sample");
    }
}

static void put_cycles(uint32_t cycles)
{
    if (ct_cycles_available()) {
        ct_text(" in ");
        ct_text_unsigned(cycles);
        ct_text(" cycles");
    }
}

static ct_status run(ct_instance *instance, const ct_sample *sample)
{
    load(instance, sample);
    put_sample(sample);
    const uint32_t start = ct_cycles();
    ct_current_instance = instance;
    const ct_status status = ct_run(instance);
    ct_current_instance = NULL;
    put_cycles(ct_cycles() - start);
    ct_text(": ");
    ct_text(ct_status_text(status));
    for (uint32_t i = 0; status == CT_OK && i < instance->model->output_count; i++) {
        ct_text("\n    ");
        demo_put_values(&instance->model->outputs[i], ct_output(instance, i));
    }
    ct_text("\n");
    return status;
}

static ct_status show(uint32_t index)
{
    ct_instance instance;
    put_model(ct_models[index]);
    const ct_status status = ct_init(&instance, ct_models[index], arena, sizeof arena);
    if (status != CT_OK) {
        ct_text("  ");
        ct_text(ct_status_text(status));
        ct_text("\n");
        return status;
    }
    const ct_sample *samples = ct_samples[index];
    const uint32_t count = samples == NULL ? 1u : ct_sample_counts[index];
    ct_status worst = CT_OK;
    for (uint32_t i = 0; i < count; i++) {
        const ct_status result = run(&instance, samples == NULL ? NULL : &samples[i]);
        worst = worst == CT_OK ? result : worst;
    }
    return worst;
}

static void put_stack(void)
{
    if (ct_stack_bytes() == 0u) {
        return;
    }
    ct_text("\nstack: ");
    ct_text_unsigned((uint32_t)ct_stack_peak_bytes());
    ct_text(" of ");
    ct_text_unsigned((uint32_t)ct_stack_bytes());
    ct_text(ct_stack_intact() ? " bytes used\n" : " bytes used: it has overflowed\n");
}

int main(void)
{
    int failures = 0;
    ct_text("\nCorTorch demo on " CT_BOARD_NAME " (" CT_BOARD_TARGET "), models: ");
    ct_text_unsigned(ct_model_count);
    ct_text("\n");
    for (uint32_t i = 0; i < ct_model_count; i++) {
        failures += show(i) != CT_OK;
    }
    put_stack();
    failures += !ct_stack_intact();
    ct_text(failures == 0 ? "done\n" : "failed\n");
    return failures != 0;
}
