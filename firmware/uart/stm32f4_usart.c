/* USART of ST's STM32F2 and STM32F4. Source: reference manual RM0090, chapter 30.
 *
 * It holds one received byte. Facts from board.yml: base, clock_hz, baud, irq. Its clock and its pins are the
 * board's affair (ct_board_init).
 */
#include "ct_uart.h"

#include "ct_board.h"
#include "ct_interrupt.h"

typedef struct registers {
    volatile uint32_t sr;
    volatile uint32_t dr;
    volatile uint32_t brr;
    volatile uint32_t cr1;
} registers;

#define USART ((registers *)CT_UART_BASE)

#define SR_RXNE (1u << 5)
#define SR_TXE (1u << 7)
#define CR1_RE (1u << 2)
#define CR1_TE (1u << 3)
#define CR1_RXNEIE (1u << 5)
#define CR1_UE (1u << 13)

void ct_uart_init(void)
{
    USART->cr1 = 0;
    USART->brr = (CT_UART_CLOCK_HZ + CT_UART_BAUD / 2u) / CT_UART_BAUD; /* in sixteenths of 16 times */
    USART->cr1 = CR1_UE | CR1_TE | CR1_RE | CR1_RXNEIE;
}

/* Reading sr and then dr also ends an overrun. */
int ct_uart_get(void)
{
    if ((USART->sr & SR_RXNE) == 0u) {
        return -1;
    }
    return (int)(USART->dr & 0xFFu);
}

void ct_uart_put(uint8_t byte)
{
    while ((USART->sr & SR_TXE) == 0u) {
    }
    USART->dr = byte;
}

static int has_byte(void)
{
    return (USART->sr & SR_RXNE) != 0u;
}

void ct_uart_wait(void)
{
    ct_interrupt_wait(CT_UART_IRQ, has_byte);
}
