/* Requests that move data and run the selected model. */
#include "ct_handlers.h"
#include "ct_platform.h"

#include <string.h>

void ct_unselect(ct_server *server)
{
    server->instance.model = NULL;
    server->cursor = (ct_input_cursor){0u, 0u};
    server->next_step = 0;
    server->finished = false;
}

static ct_result not_now(const ct_server *server)
{
    return CT_RESULT(CT_PROTOCOL_ERR_STATE, server->next_step);
}

static ct_result library_error(ct_status status, uint32_t step)
{
    return CT_RESULT(CT_PROTOCOL_ERR_LIBRARY, (uint32_t)status + 256u * step);
}

/* Leaves inputs that are full (or have no bytes at all). */
static void skip_full_inputs(ct_server *server)
{
    const ct_model *const model = server->instance.model;
    ct_input_cursor *const cursor = &server->cursor;
    while (cursor->input < model->input_count && cursor->offset == model->inputs[cursor->input].bytes) {
        *cursor = (ct_input_cursor){cursor->input + 1u, 0u};
    }
}

/* Before the first input chunk: the last run's tensors no longer count. */
static void rewind_inputs(ct_server *server)
{
    server->cursor = (ct_input_cursor){0u, 0u};
    skip_full_inputs(server);
}

ct_result ct_handle_select(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    const ct_device *const device = server->device;
    const ct_select_request request = ct_get_select_request(payload, bytes);
    (void)reply;
    if (request.model >= device->model_count) {
        return CT_RESULT(CT_PROTOCOL_ERR_RANGE, device->model_count);
    }
    ct_unselect(server);
    const ct_status status =
        ct_init(&server->instance, device->models[request.model], device->arena, device->arena_bytes);
    if (status != CT_OK) {
        return library_error(status, 0u);
    }
    server->selected = request.model;
    rewind_inputs(server);
    return CT_RESULT_OK;
}

ct_result ct_handle_write(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    const ct_model *const model = server->instance.model;
    const ct_write_request request = ct_get_write_request(payload, bytes);
    (void)reply;
    if (model == NULL) {
        return not_now(server);
    }
    if (request.input >= model->input_count) {
        return CT_RESULT(CT_PROTOCOL_ERR_RANGE, model->input_count);
    }
    if (request.input == 0u && request.offset == 0u) {
        rewind_inputs(server);
    }
    if (request.input != server->cursor.input || request.offset != server->cursor.offset) {
        return not_now(server);
    }
    const uint32_t left = model->inputs[request.input].bytes - request.offset;
    if (request.data_bytes > left) {
        return CT_RESULT(CT_PROTOCOL_ERR_RANGE, left);
    }
    memcpy((uint8_t *)ct_input(&server->instance, request.input) + request.offset, request.data,
           request.data_bytes);
    server->next_step = 0;
    server->finished = false;
    server->cursor.offset += request.data_bytes;
    skip_full_inputs(server);
    return CT_RESULT_OK;
}

static ct_status run_steps(ct_server *server, uint32_t first, uint32_t end)
{
    ct_instance *const instance = &server->instance;
    const uint32_t start = ct_cycles();
    ct_current_instance = instance;
    /* The whole run goes the way that every firmware goes, which is also where a profiler looks. */
    const ct_status status = first == 0u && end == instance->model->step_count
                                 ? ct_run(instance)
                                 : ct_run_steps(instance, first, end);
    ct_current_instance = NULL;
    server->cycles = (first == 0u ? 0u : server->cycles) + (uint32_t)(ct_cycles() - start);
    return status;
}

ct_result ct_handle_run(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    const ct_model *const model = server->instance.model;
    const ct_run_request request = ct_get_run_request(payload, bytes);
    (void)reply;
    if (model == NULL || (request.first == 0u ? server->cursor.input != model->input_count
                                              : request.first != server->next_step)) {
        return not_now(server);
    }
    if (request.end > model->step_count || request.first > request.end) {
        return CT_RESULT(CT_PROTOCOL_ERR_RANGE, model->step_count);
    }
    const ct_status status = run_steps(server, request.first, request.end);
    rewind_inputs(server); /* steps may have overwritten the inputs */
    server->next_step = status == CT_OK ? request.end : 0u;
    server->finished = status == CT_OK && request.end == model->step_count;
    return status == CT_OK ? CT_RESULT_OK : library_error(status, server->instance.step);
}

/* The tensor that a READ names; `bytes` is its size. */
static ct_result find_tensor(const ct_server *server, const ct_read_request *request, const uint8_t **data,
                             uint32_t *bytes)
{
    const ct_model *const model = server->instance.model;
    if (model == NULL) {
        return not_now(server);
    }
    const bool step = request->kind == CT_PROTOCOL_READ_STEP;
    const uint32_t count = step ? model->step_count : model->output_count;
    if (request->kind > CT_PROTOCOL_READ_STEP || request->index >= count) {
        return CT_RESULT(CT_PROTOCOL_ERR_RANGE, count);
    }
    if (step ? request->index + 1u != server->next_step : !server->finished) {
        return not_now(server);
    }
    if (step && model->step_info == NULL) {
        return CT_RESULT(CT_PROTOCOL_ERR_ABSENT, 0u);
    }
    *data = step ? ct_step_output(&server->instance, request->index)
                 : ct_output(&server->instance, request->index);
    *bytes = step ? model->step_info[request->index].output_bytes : model->outputs[request->index].bytes;
    return CT_RESULT_OK;
}

ct_result ct_handle_read(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    const uint8_t *data = NULL;
    uint32_t tensor_bytes = 0;
    const ct_read_request request = ct_get_read_request(payload, bytes);
    const ct_result found = find_tensor(server, &request, &data, &tensor_bytes);
    if (found.status != CT_PROTOCOL_OK) {
        return found;
    }
    if (request.offset > tensor_bytes || request.bytes > tensor_bytes - request.offset) {
        return CT_RESULT(CT_PROTOCOL_ERR_RANGE, tensor_bytes);
    }
    const ct_read_reply answer = {.data = data + request.offset, .data_bytes = request.bytes};
    ct_put_read_reply(reply, &answer);
    return CT_RESULT_OK;
}
