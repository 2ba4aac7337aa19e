/* Arm PrimeCell UART. Source: PL011 Technical Reference Manual (DDI 0183), chapter 3.
 *
 * Its FIFO holds 16 or 32 received bytes. Facts from board.yml: base, clock_hz, baud, irq. Its clock, reset
 * and pins are the board's affair (ct_board_init).
 */
#include "ct_uart.h"

#include "ct_board.h"
#include "ct_interrupt.h"
#include "ct_scs.h"

#define UART(offset) CT_REGISTER(CT_UART_BASE + (offset))
#define DR UART(0x00)
#define FR UART(0x18)
#define IBRD UART(0x24)
#define FBRD UART(0x28)
#define LCR_H UART(0x2C)
#define CR UART(0x30)
#define IFLS UART(0x34)
#define IMSC UART(0x38)

#define FR_RX_EMPTY (1u << 4)
#define FR_TX_FULL (1u << 5)
#define LCR_H_FIFO (1u << 4)
#define LCR_H_8_BITS (3u << 5)
#define CR_ENABLE (1u << 0)
#define CR_TX_ENABLE (1u << 8)
#define CR_RX_ENABLE (1u << 9)
/* From an eighth of the FIFO on, or once the line has paused with less than that. */
#define INT_RX (1u << 4)
#define INT_RX_TIMEOUT (1u << 6)

/* The divider, in 64ths: clock / (16 * baud). */
#define DIVIDER ((CT_UART_CLOCK_HZ * 4u + CT_UART_BAUD / 2u) / CT_UART_BAUD)

void ct_uart_init(void)
{
    CR = 0;
    IBRD = DIVIDER / 64u;
    FBRD = DIVIDER % 64u;
    LCR_H = LCR_H_8_BITS | LCR_H_FIFO; /* after the divider, which it latches */
    IFLS = 0;
    IMSC = INT_RX | INT_RX_TIMEOUT;
    CR = CR_ENABLE | CR_TX_ENABLE | CR_RX_ENABLE;
}

int ct_uart_get(void)
{
    return (FR & FR_RX_EMPTY) != 0u ? -1 : (int)(DR & 0xFFu);
}

void ct_uart_put(uint8_t byte)
{
    while ((FR & FR_TX_FULL) != 0u) {
    }
    DR = byte;
}

static int has_byte(void)
{
    return (FR & FR_RX_EMPTY) == 0u;
}

void ct_uart_wait(void)
{
    ct_interrupt_wait(CT_UART_IRQ, has_byte);
}
