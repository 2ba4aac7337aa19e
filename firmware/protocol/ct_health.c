/* Requests about the device's state of health. */
#include "ct_handlers.h"
#include "ct_platform.h"

ct_result ct_handle_counters(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    const ct_counters_reply answer = {.cycles = server->cycles, .available = ct_cycles_available()};
    (void)payload;
    (void)bytes;
    ct_put_counters_reply(reply, &answer);
    return CT_RESULT_OK;
}

ct_result ct_handle_memory(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    const ct_model *const model = server->instance.model;
    const ct_memory_reply answer = {.stack_bytes = (uint32_t)ct_stack_bytes(),
                                    .stack_peak_bytes = (uint32_t)ct_stack_peak_bytes(),
                                    .arena_bytes = server->device->arena_bytes,
                                    .model_arena_bytes = model == NULL ? 0u : model->arena_bytes,
                                    .stack_intact = ct_stack_intact()};
    (void)payload;
    (void)bytes;
    ct_put_memory_reply(reply, &answer);
    return CT_RESULT_OK;
}

ct_result ct_handle_fault(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    const ct_fault *const fault = ct_last_fault();
    ct_fault_reply answer = {0};
    (void)server;
    (void)payload;
    (void)bytes;
    if (fault != NULL) {
        answer = (ct_fault_reply){.present = 1u,
                                  .exception = (uint8_t)fault->exception,
                                  .step = fault->step,
                                  .r0 = fault->r0,
                                  .r1 = fault->r1,
                                  .r2 = fault->r2,
                                  .r3 = fault->r3,
                                  .r12 = fault->r12,
                                  .lr = fault->lr,
                                  .pc = fault->pc,
                                  .xpsr = fault->xpsr,
                                  .sp = fault->sp,
                                  .cfsr = fault->cfsr,
                                  .hfsr = fault->hfsr,
                                  .mmfar = fault->mmfar,
                                  .bfar = fault->bfar};
    }
    ct_put_fault_reply(reply, &answer);
    return CT_RESULT_OK;
}

ct_result ct_handle_fault_clear(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    (void)server;
    (void)payload;
    (void)bytes;
    (void)reply;
    ct_forget_fault();
    return CT_RESULT_OK;
}

/* Nothing yet: the server restarts the device when the answer is out. */
ct_result ct_handle_reset(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    (void)server;
    (void)payload;
    (void)bytes;
    (void)reply;
    return CT_RESULT_OK;
}
