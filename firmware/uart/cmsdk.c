/* Arm CMSDK APB UART. Source: Cortex-M System Design Kit Technical Reference Manual (DDI 0479), 4.4.
 *
 * It holds one received byte. Registers: CT_UART_BASE; facts from board.yml: clock_hz, baud, irq.
 */
#include "ct_uart.h"

#include "ct_board.h"
#include "ct_interrupt.h"

typedef struct registers {
    volatile uint32_t data;
    volatile uint32_t state;
    volatile uint32_t ctrl;
    volatile uint32_t intstatus; /* write 1 to clear */
    volatile uint32_t bauddiv;   /* at least 16 */
} registers;

#define UART ((registers *)CT_UART_BASE)

#define STATE_TX_FULL (1u << 0)
#define STATE_RX_FULL (1u << 1)
#define CTRL_TX_ENABLE (1u << 0)
#define CTRL_RX_ENABLE (1u << 1)
#define CTRL_RX_INTERRUPT (1u << 3)
#define INT_RX (1u << 1)

void ct_uart_init(void)
{
    UART->ctrl = 0;
    UART->bauddiv = (CT_UART_CLOCK_HZ + CT_UART_BAUD / 2u) / CT_UART_BAUD;
    UART->ctrl = CTRL_TX_ENABLE | CTRL_RX_ENABLE | CTRL_RX_INTERRUPT;
}

int ct_uart_get(void)
{
    if ((UART->state & STATE_RX_FULL) == 0u) {
        return -1;
    }
    UART->intstatus = INT_RX;
    return (int)(UART->data & 0xFFu);
}

void ct_uart_put(uint8_t byte)
{
    while ((UART->state & STATE_TX_FULL) != 0u) {
    }
    UART->data = byte;
}

static int has_byte(void)
{
    return (UART->state & STATE_RX_FULL) != 0u;
}

void ct_uart_wait(void)
{
    ct_interrupt_wait(CT_UART_IRQ, has_byte);
}
