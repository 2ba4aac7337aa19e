#include "ct_wire.h"

#include <string.h>

uint8_t ct_get_u8(const uint8_t *from)
{
    return from[0];
}

uint16_t ct_get_u16(const uint8_t *from)
{
    return (uint16_t)(from[0] | from[1] << 8);
}

uint32_t ct_get_u32(const uint8_t *from)
{
    return ct_get_u16(from) | (uint32_t)ct_get_u16(from + 2) << 16;
}

void ct_put_bytes(ct_writer *writer, const uint8_t *data, uint32_t bytes)
{
    if (writer->overflow || bytes > writer->limit - writer->bytes) {
        writer->overflow = true;
        return;
    }
    if (bytes != 0u) {
        memcpy(writer->data + writer->bytes, data, bytes);
        writer->bytes += bytes;
    }
}

void ct_put_u8(ct_writer *writer, uint8_t value)
{
    ct_put_bytes(writer, &value, 1u);
}

void ct_put_u16(ct_writer *writer, uint16_t value)
{
    ct_put_u8(writer, (uint8_t)value);
    ct_put_u8(writer, (uint8_t)(value >> 8));
}

void ct_put_u32(ct_writer *writer, uint32_t value)
{
    ct_put_u16(writer, (uint16_t)value);
    ct_put_u16(writer, (uint16_t)(value >> 16));
}

void ct_put_u64(ct_writer *writer, uint64_t value)
{
    ct_put_u32(writer, (uint32_t)value);
    ct_put_u32(writer, (uint32_t)(value >> 32));
}

void ct_put_i32(ct_writer *writer, int32_t value)
{
    ct_put_u32(writer, (uint32_t)value);
}

void ct_put_f32(ct_writer *writer, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    ct_put_u32(writer, bits);
}

void ct_put_text(ct_writer *writer, const char *text, uint32_t max_bytes)
{
    uint32_t bytes = 0;
    while (text != NULL && bytes < max_bytes && text[bytes] != '\0') {
        bytes++;
    }
    ct_put_u8(writer, (uint8_t)bytes);
    ct_put_bytes(writer, (const uint8_t *)text, bytes);
}

void ct_put_i32s(ct_writer *writer, const int32_t *values, uint8_t count)
{
    ct_put_u8(writer, count);
    for (uint32_t i = 0; i < count; i++) {
        ct_put_i32(writer, values[i]);
    }
}

uint32_t ct_crc32(const uint8_t *data, uint32_t bytes)
{
    /* One entry a nibble: 64 bytes of flash instead of 1 KB, at twice the work. */
    static const uint32_t table[16] = {0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu,
                                       0x76dc4190u, 0x6b6b51f4u, 0x4db26158u, 0x5005713cu,
                                       0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
                                       0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu};
    uint32_t crc = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < bytes; i++) {
        crc ^= data[i];
        crc = (crc >> 4) ^ table[crc & 15u];
        crc = (crc >> 4) ^ table[crc & 15u];
    }
    return ~crc;
}
