/* One function a request, called by ct_server.c only; see the generated ct_protocol.h for the fields.
 *
 * `payload` has a length that fits the request. It shares one buffer with the writer: a handler reads its
 * request before it writes its reply.
 */
#ifndef CT_HANDLERS_H
#define CT_HANDLERS_H

#include "ct_protocol.h"
#include "ct_server.h"

#define CT_RESULT(code, number) ((ct_result){.status = (code), .detail = (number)})
#define CT_RESULT_OK CT_RESULT(CT_PROTOCOL_OK, 0u)

/* ct_handle_hello, ct_handle_model, ... */
typedef ct_result ct_handler(ct_server *server, const uint8_t *payload, uint32_t bytes, ct_writer *reply);
#define CT_DECLARE_HANDLER(name, code, command, least, most) ct_handler ct_handle_##name;
CT_MESSAGES(CT_DECLARE_HANDLER)
#undef CT_DECLARE_HANDLER

/* Forgets selection, inputs and run. */
void ct_unselect(ct_server *server);

#endif
