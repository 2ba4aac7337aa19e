/* Little-endian fields in byte buffers, and the CRC: what the generated ct_protocol.h is made of. */
#ifndef CT_WIRE_H
#define CT_WIRE_H

#include <stdbool.h>
#include <stdint.h>

/* Appends to a caller's buffer; past `limit` it writes nothing more and notes `overflow`. */
typedef struct ct_writer {
    uint8_t *data;
    uint32_t bytes;
    uint32_t limit;
    bool overflow;
} ct_writer;

uint8_t ct_get_u8(const uint8_t *from);
uint16_t ct_get_u16(const uint8_t *from);
uint32_t ct_get_u32(const uint8_t *from);

void ct_put_u8(ct_writer *writer, uint8_t value);
void ct_put_u16(ct_writer *writer, uint16_t value);
void ct_put_u32(ct_writer *writer, uint32_t value);
void ct_put_u64(ct_writer *writer, uint64_t value);
void ct_put_i32(ct_writer *writer, int32_t value);
void ct_put_f32(ct_writer *writer, float value);
void ct_put_bytes(ct_writer *writer, const uint8_t *data, uint32_t bytes);

/* A count of one byte, then the text or the elements. A text is cut to `max_bytes`; NULL is "". */
void ct_put_text(ct_writer *writer, const char *text, uint32_t max_bytes);
void ct_put_i32s(ct_writer *writer, const int32_t *values, uint8_t count);

/* CRC-32 of IEEE 802.3 (zlib's): polynomial 0xEDB88320 reflected, initial value and final xor 0xFFFFFFFF. */
uint32_t ct_crc32(const uint8_t *data, uint32_t bytes);

#endif
