/* Text on the UART, for people. Small where printf is not; "\n" goes out as CR LF. */
#ifndef CT_TEXT_H
#define CT_TEXT_H

#include <stdint.h>

void ct_text(const char *text);

/* Left-aligned in a column of `width` characters. */
void ct_text_padded(const char *text, uint32_t width);

void ct_text_unsigned(uint32_t value);
void ct_text_signed(int32_t value);

/* 0x and eight digits. */
void ct_text_hex(uint32_t value);

/* Decimal with `digits` (0..6) behind the point, rounded half away from zero. A magnitude from 2^32 /
 * 10^digits up, infinity too, is only bounded: ">4294" or "->4294". */
void ct_text_float(float value, uint32_t digits);

#endif
