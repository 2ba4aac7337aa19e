/* A product's firmware, as small as it can be: a digit on the console makes it measure and classify.
 *
 *     0 .. 9   take that measurement, print its class
 *     x        crash, to see what the tests make of it
 */
#include "ct_platform.h"
#include "ct_text.h"
#include "ct_uart.h"
#include "models.h"

CT_ARENA CT_ARENA_SECTION static uint8_t arena[CT_MODELS_ARENA_BYTES];

/* Stands for a sensor. conftest.py has the same formula. */
static void measure(float *signal, uint32_t count, uint32_t number)
{
    for (uint32_t i = 0; i < count; i++) {
        signal[i] = (float)(i * (number + 1u) % 16u) / 16.0f;
    }
}

static uint32_t index_of_largest(const float *scores, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++) {
        best = scores[i] > scores[best] ? i : best;
    }
    return best;
}

static void classify(ct_instance *net, uint32_t number)
{
    const ct_model *model = net->model;
    measure(ct_input(net, 0), model->inputs[0].bytes / (uint32_t)sizeof(float), number);
    ct_current_instance = net; /* a crash report will name the step */
    const ct_status status = ct_run(net);
    ct_current_instance = NULL;
    if (status != CT_OK) {
        ct_text(ct_status_text(status));
    } else {
        ct_text("class ");
        ct_text_unsigned(
            index_of_largest(ct_output(net, 0), model->outputs[0].bytes / (uint32_t)sizeof(float)));
    }
    ct_text("\n");
}

int main(void)
{
    ct_instance net;
    if (ct_init(&net, ct_models[0], arena, sizeof arena) != CT_OK) {
        ct_text("the model does not fit\n");
        return 1;
    }
    ct_text("ready\n");
    for (;;) {
        const int byte = ct_uart_get();
        if (byte >= '0' && byte <= '9') {
            classify(&net, (uint32_t)byte - '0');
        } else if (byte == 'x') {
            __builtin_trap();
        } else {
            ct_uart_wait();
        }
    }
}
