/* Sessions: which frame is a request, which request is new, and what it is answered. */
#include "ct_server.h"

#include "ct_handlers.h"
#include "ct_platform.h"

typedef struct ct_route {
    ct_handler *handler;
    uint16_t least; /* bytes of payload */
    uint16_t most;
    bool command; /* changes the device, so a repetition is not executed again */
} ct_route;

#define CT_ROUTE(name, code, command, least, most) [code] = {ct_handle_##name, least, most, command},
static const ct_route routes[] = {CT_MESSAGES(CT_ROUTE)};

void ct_server_init(ct_server *server, const ct_device *device, uint8_t *buffer, uint32_t buffer_bytes)
{
    *server = (ct_server){.device = device, .frame_bytes = buffer_bytes};
    ct_frame_reader_init(&server->reader, buffer, buffer_bytes);
}

static void send(ct_server *server, uint8_t type, uint16_t sequence, ct_result result, ct_writer *reply)
{
    uint8_t *const buffer = server->reader.buffer;
    if (result.status == CT_PROTOCOL_OK && reply->overflow) {
        result = CT_RESULT(CT_PROTOCOL_ERR_TOO_LONG, server->frame_bytes);
    }
    if (result.status != CT_PROTOCOL_OK) {
        *reply = (ct_writer){.data = reply->data, .limit = reply->limit};
        ct_put_u32(reply, result.detail);
    }
    ct_writer header = {.data = buffer, .limit = CT_PROTOCOL_HEADER_BYTES};
    ct_put_u8(&header, type);
    ct_put_u8(&header, result.status);
    ct_put_u16(&header, sequence);
    ct_frame_send(buffer, CT_PROTOCOL_HEADER_BYTES + reply->bytes, server->device->sink);
}

ct_result ct_handle_hello(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply)
{
    const ct_device *const device = server->device;
    const ct_hello_request request = ct_get_hello_request(payload, bytes);
    ct_unselect(server);
    if (request.version_min > CT_PROTOCOL_VERSION || request.version_max < CT_PROTOCOL_VERSION) {
        return CT_RESULT(CT_PROTOCOL_ERR_VERSION, CT_PROTOCOL_VERSION);
    }
    if (request.frame_bytes < CT_PROTOCOL_MIN_FRAME_BYTES) {
        return CT_RESULT(CT_PROTOCOL_ERR_RANGE, CT_PROTOCOL_MIN_FRAME_BYTES);
    }
    server->open = true;
    server->frame_bytes =
        request.frame_bytes < server->reader.limit ? request.frame_bytes : server->reader.limit;
    const ct_hello_reply answer = {.version = CT_PROTOCOL_VERSION,
                                   .fault = ct_last_fault() != NULL,
                                   .frame_bytes = (uint16_t)server->frame_bytes,
                                   .model_count = (uint16_t)device->model_count,
                                   .arena_bytes = device->arena_bytes,
                                   .board = device->board,
                                   .target = device->target};
    ct_put_hello_reply(reply, &answer);
    return CT_RESULT_OK;
}

static ct_result dispatch(ct_server *server, uint8_t type, bool repeated, ct_writer *reply)
{
    const uint32_t bytes = server->reader.bytes - CT_PROTOCOL_HEADER_BYTES;
    const ct_route *const route = type < sizeof routes / sizeof routes[0] ? &routes[type] : &routes[0];
    if (route->handler == NULL) {
        return CT_RESULT(CT_PROTOCOL_ERR_UNKNOWN, type);
    }
    if (bytes < route->least || bytes > route->most) {
        return CT_RESULT(CT_PROTOCOL_ERR_LENGTH, bytes);
    }
    if (!repeated || !route->command) {
        server->result =
            route->handler(server, server->reader.buffer + CT_PROTOCOL_HEADER_BYTES, bytes, reply);
    }
    return server->result;
}

/* The next request of the session, or the last one once more: anything else is out of order. */
static bool in_sequence(const ct_server *server, uint16_t sequence, bool *repeated)
{
    *repeated = sequence == server->sequence && server->reader.crc == server->crc;
    return *repeated || sequence == (uint16_t)(server->sequence + 1u);
}

static ct_result answer(ct_server *server, uint8_t type, uint16_t sequence, ct_writer *reply)
{
    bool repeated = false;
    if (type == CT_MESSAGE_HELLO) {
        server->open = false; /* until it is accepted */
    } else if (!server->open) {
        return CT_RESULT(CT_PROTOCOL_ERR_SESSION, 0u);
    } else if (!in_sequence(server, sequence, &repeated)) {
        return CT_RESULT(CT_PROTOCOL_ERR_SEQUENCE, (uint16_t)(server->sequence + 1u));
    }
    server->sequence = sequence;
    server->crc = server->reader.crc;
    return dispatch(server, type, repeated, reply);
}

static void serve(ct_server *server, ct_writer *reply)
{
    const uint8_t *const frame = server->reader.buffer;
    const uint8_t type = ct_get_u8(frame);
    const uint16_t sequence = ct_get_u16(frame + 2);
    if ((type & CT_PROTOCOL_REPLY_BIT) != 0u) {
        return; /* our own frame, from a line that echoes: to answer would never end */
    }
    const ct_result result = answer(server, type, sequence, reply);
    send(server, type | CT_PROTOCOL_REPLY_BIT, sequence, result, reply);
    if (type == CT_MESSAGE_RESET && result.status == CT_PROTOCOL_OK) {
        ct_reset();
    }
}

void ct_server_receive(ct_server *server, uint8_t byte)
{
    const ct_frame_event event = ct_frame_receive(&server->reader, byte);
    ct_writer reply = {.data = server->reader.buffer + CT_PROTOCOL_HEADER_BYTES,
                       .limit = server->frame_bytes - CT_PROTOCOL_HEADER_BYTES - CT_PROTOCOL_CRC_BYTES};
    if (event == CT_FRAME_READY) {
        serve(server, &reply);
    } else if (event == CT_FRAME_DAMAGED) {
        send(server, CT_PROTOCOL_NOTICE, 0u, CT_RESULT(CT_PROTOCOL_ERR_DAMAGED, 0u), &reply);
    } else if (event == CT_FRAME_TOO_LONG) {
        send(server, CT_PROTOCOL_NOTICE, 0u, CT_RESULT(CT_PROTOCOL_ERR_TOO_LONG, server->reader.limit),
             &reply);
    }
}
