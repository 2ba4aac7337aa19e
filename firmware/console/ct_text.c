#include "ct_text.h"

#include <string.h>

#include "ct_uart.h"

void ct_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            ct_uart_put('\r');
        }
        ct_uart_put((uint8_t)*text);
    }
}

void ct_text_padded(const char *text, uint32_t width)
{
    ct_text(text);
    for (uint32_t i = (uint32_t)strlen(text); i < width; i++) {
        ct_text(" ");
    }
}

/* At least `digits` digits, with zeros in front. */
static void put_decimal(uint32_t value, uint32_t digits)
{
    char text[11]; /* 2^32 - 1 has ten digits */
    char *next = text + sizeof text;
    *--next = '\0';
    while (value != 0u || digits != 0u) {
        *--next = (char)('0' + value % 10u);
        value /= 10u;
        digits -= digits != 0u;
    }
    ct_text(next);
}

void ct_text_unsigned(uint32_t value)
{
    put_decimal(value, 1);
}

void ct_text_signed(int32_t value)
{
    if (value < 0) {
        ct_text("-");
    }
    put_decimal(value < 0 ? 0u - (uint32_t)value : (uint32_t)value, 1);
}

void ct_text_hex(uint32_t value)
{
    ct_text("0x");
    for (int shift = 28; shift >= 0; shift -= 4) {
        ct_uart_put((uint8_t)"0123456789abcdef"[(value >> shift) & 0xFu]);
    }
}

void ct_text_float(float value, uint32_t digits)
{
    uint32_t unit = 1;
    for (uint32_t i = 0; i < digits; i++) {
        unit *= 10u;
    }
    if (value != value) {
        ct_text("nan");
        return;
    }
    if (value < 0.0f) {
        value = -value;
        ct_text("-");
    }
    const float scaled = value * (float)unit + 0.5f;
    if (scaled >= 4294967296.0f) {
        ct_text(">");
        ct_text_unsigned(UINT32_MAX / unit);
        return;
    }
    put_decimal((uint32_t)scaled / unit, 1);
    if (digits != 0u) {
        ct_text(".");
        put_decimal((uint32_t)scaled % unit, digits);
    }
}
