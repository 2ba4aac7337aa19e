#include "ct_frame.h"

#include "ct_protocol.h"

#define DELIMITER 0u
#define BLOCK_BYTES 254u /* longest run of non-zero bytes in one COBS block */

void ct_frame_reader_init(ct_frame_reader *reader, uint8_t *buffer, uint32_t limit)
{
    *reader = (ct_frame_reader){.buffer = buffer, .limit = limit};
}

static void append(ct_frame_reader *reader, uint8_t byte)
{
    if (reader->bytes < reader->limit) {
        reader->buffer[reader->bytes++] = byte;
    } else {
        reader->too_long = true;
    }
}

static void decode(ct_frame_reader *reader, uint8_t byte)
{
    reader->started = true;
    if (reader->block_left != 0u) {
        reader->block_left--;
        append(reader, byte);
        return;
    }
    if (reader->zero_due) {
        append(reader, 0u);
    }
    reader->block_left = (uint8_t)(byte - 1u);
    reader->zero_due = byte <= BLOCK_BYTES;
}

static ct_frame_event finish(ct_frame_reader *reader)
{
    if (!reader->started) {
        return CT_FRAME_NONE;
    }
    if (reader->too_long) {
        return CT_FRAME_TOO_LONG;
    }
    if (reader->block_left != 0u || reader->bytes < CT_PROTOCOL_HEADER_BYTES + CT_PROTOCOL_CRC_BYTES) {
        return CT_FRAME_DAMAGED;
    }
    reader->bytes -= CT_PROTOCOL_CRC_BYTES;
    reader->crc = ct_crc32(reader->buffer, reader->bytes);
    return reader->crc == ct_get_u32(reader->buffer + reader->bytes) ? CT_FRAME_READY : CT_FRAME_DAMAGED;
}

ct_frame_event ct_frame_receive(ct_frame_reader *reader, uint8_t byte)
{
    if (byte != DELIMITER) {
        if (!reader->started) {
            ct_frame_reader_init(reader, reader->buffer, reader->limit);
        }
        decode(reader, byte);
        return CT_FRAME_NONE;
    }
    const ct_frame_event event = finish(reader);
    reader->started = false;
    return event;
}

static uint32_t block_length(const uint8_t *data, uint32_t bytes)
{
    uint32_t length = 0;
    while (length < bytes && length < BLOCK_BYTES && data[length] != 0u) {
        length++;
    }
    return length;
}

void ct_frame_send(uint8_t *buffer, uint32_t bytes, ct_frame_sink sink)
{
    ct_writer writer = {.data = buffer, .bytes = bytes, .limit = bytes + CT_PROTOCOL_CRC_BYTES};
    ct_put_u32(&writer, ct_crc32(buffer, bytes));
    sink(DELIMITER); /* ends whatever the line carried before */
    bool more = true;
    for (uint32_t at = 0; more;) {
        const uint32_t length = block_length(buffer + at, writer.bytes - at);
        sink((uint8_t)(length + 1u));
        for (uint32_t i = 0; i < length; i++) {
            sink(buffer[at + i]);
        }
        at += length;
        more = at < writer.bytes;
        if (more && length < BLOCK_BYTES) {
            at++; /* the zero that the block's end stands for */
        }
    }
    sink(DELIMITER);
}
