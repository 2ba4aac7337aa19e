/* Requests about what the image holds. */
#include "ct_handlers.h"

static const ct_model *find_model(const ct_server *server, uint32_t index)
{
    return index < server->device->model_count ? server->device->models[index] : NULL;
}

static ct_result no_such_model(const ct_server *server)
{
    return CT_RESULT(CT_PROTOCOL_ERR_RANGE, server->device->model_count);
}

ct_result ct_handle_model(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    const ct_model_request request = ct_get_model_request(payload, bytes);
    const ct_model *const model = find_model(server, request.model);
    if (model == NULL) {
        return no_such_model(server);
    }
    const ct_model_reply answer = {.arena_bytes = model->arena_bytes,
                                   .constant_bytes = model->constant_bytes,
                                   .step_count = model->step_count,
                                   .input_count = model->input_count,
                                   .output_count = model->output_count,
                                   .isa = model->isa,
                                   .pte_sha256 = model->pte_sha256,
                                   .name = model->name,
                                   .target = model->target};
    ct_put_model_reply(reply, &answer);
    return CT_RESULT_OK;
}

ct_result ct_handle_tensor(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    const ct_tensor_request request = ct_get_tensor_request(payload, bytes);
    const ct_model *const model = find_model(server, request.model);
    if (model == NULL) {
        return no_such_model(server);
    }
    if (request.direction > CT_PROTOCOL_OUTPUT) {
        return CT_RESULT(CT_PROTOCOL_ERR_RANGE, CT_PROTOCOL_OUTPUT + 1u);
    }
    const bool input = request.direction == CT_PROTOCOL_INPUT;
    const uint32_t count = input ? model->input_count : model->output_count;
    if (request.index >= count) {
        return CT_RESULT(CT_PROTOCOL_ERR_RANGE, count);
    }
    const ct_tensor_info *const tensor = (input ? model->inputs : model->outputs) + request.index;
    const ct_tensor_reply answer = {.bytes = tensor->bytes,
                                    .scale = tensor->scale,
                                    .zero_point = tensor->zero_point,
                                    .dtype = tensor->dtype,
                                    .shape = tensor->shape,
                                    .shape_count = tensor->rank,
                                    .name = tensor->name};
    ct_put_tensor_reply(reply, &answer);
    return CT_RESULT_OK;
}

ct_result ct_handle_step(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    const ct_step_request request = ct_get_step_request(payload, bytes);
    const ct_model *const model = find_model(server, request.model);
    if (model == NULL) {
        return no_such_model(server);
    }
    if (request.step >= model->step_count) {
        return CT_RESULT(CT_PROTOCOL_ERR_RANGE, model->step_count);
    }
    if (model->step_info == NULL) {
        return CT_RESULT(CT_PROTOCOL_ERR_ABSENT, 0u);
    }
    const ct_step_info *const step = &model->step_info[request.step];
    const ct_step_reply answer = {.output_bytes = step->output_bytes,
                                  .output_dtype = step->output_dtype,
                                  .name = step->name,
                                  .kernel = step->kernel};
    ct_put_step_reply(reply, &answer);
    return CT_RESULT_OK;
}
