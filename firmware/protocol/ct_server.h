/* The device's end of docs/SPEC.md: bytes in, bytes out. It knows no UART, so that a host can fuzz it.
 *
 * No heap, no wait: ct_server_receive returns after at most one request, and every byte sequence leaves the
 * server ready for the next frame. One buffer serves for the request and then for its reply.
 */
#ifndef CT_SERVER_H
#define CT_SERVER_H

#include "ct.h"
#include "ct_frame.h"

/* What the app has: const, owned by the app. */
typedef struct ct_device {
    const char *board;
    const char *target;
    const ct_model *const *models;
    uint32_t model_count;
    uint8_t *arena; /* shared by all models */
    uint32_t arena_bytes;
    ct_frame_sink sink; /* may block; must not call the server */
} ct_device;

/* Status and detail of a reply: CT_PROTOCOL_OK, CT_PROTOCOL_ERR_*. */
typedef struct ct_result {
    uint8_t status;
    uint32_t detail;
} ct_result;

/* Inputs arrive in order; this is where the next chunk goes. */
typedef struct ct_input_cursor {
    uint32_t input;
    uint32_t offset;
} ct_input_cursor;

/* Private to firmware/protocol. */
typedef struct ct_server {
    const ct_device *device;
    ct_frame_reader reader;
    uint32_t frame_bytes; /* of the session */
    bool open;            /* HELLO was accepted */
    uint16_t sequence;    /* of the last accepted request, */
    uint32_t crc;         /* its CRC, which tells a repetition from a stranger, */
    ct_result result;     /* and what it came to */
    uint32_t selected;    /* model index; instance.model is NULL if none */
    ct_instance instance;
    ct_input_cursor cursor;
    uint32_t next_step;
    bool finished; /* all steps ran: outputs may be read */
    uint64_t cycles;
} ct_server;

/* `buffer` takes the frames: at least CT_PROTOCOL_MIN_FRAME_BYTES, at most 65535; the caller's for ever. */
void ct_server_init(ct_server *server, const ct_device *device, uint8_t *buffer, uint32_t buffer_bytes);

/* Takes one byte from the line; answers, through the sink, when it completes a frame. */
void ct_server_receive(ct_server *server, uint8_t byte);

#endif
