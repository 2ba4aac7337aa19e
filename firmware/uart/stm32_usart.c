/* USART of ST's newer STM32 (F3, F7, H7, N6 ...). Source: reference manual RM0433, chapter 48.
 *
 * It holds one received byte. Facts from board.yml: base, clock_hz, baud, irq. Its clock and its pins are the
 * board's affair (ct_board_init).
 */
#include "ct_uart.h"

#include "ct_board.h"
#include "ct_interrupt.h"
#include "ct_scs.h"

#define USART(offset) CT_REGISTER(CT_UART_BASE + (offset))
#define CR1 USART(0x00)
#define BRR USART(0x0C)
#define ISR USART(0x1C)
#define ICR USART(0x20)
#define RDR USART(0x24)
#define TDR USART(0x28)

#define CR1_UE (1u << 0)
#define CR1_RE (1u << 2)
#define CR1_TE (1u << 3)
#define CR1_RXNEIE (1u << 5)
#define ISR_ORE (1u << 3)
#define ISR_RXNE (1u << 5)
#define ISR_TXE (1u << 7)
#define ICR_ERRORS 0xFu /* parity, framing, noise, overrun */

void ct_uart_init(void)
{
    CR1 = 0;
    BRR = (CT_UART_CLOCK_HZ + CT_UART_BAUD / 2u) / CT_UART_BAUD; /* 16 samples a bit */
    CR1 = CR1_UE | CR1_TE | CR1_RE | CR1_RXNEIE;
}

int ct_uart_get(void)
{
    const uint32_t status = ISR;
    ICR = ICR_ERRORS; /* an overrun would raise its interrupt for ever */
    return (status & ISR_RXNE) == 0u ? -1 : (int)(RDR & 0xFFu);
}

void ct_uart_put(uint8_t byte)
{
    while ((ISR & ISR_TXE) == 0u) {
    }
    TDR = byte;
}

static int has_byte(void)
{
    return (ISR & (ISR_RXNE | ISR_ORE)) != 0u;
}

void ct_uart_wait(void)
{
    ct_interrupt_wait(CT_UART_IRQ, has_byte);
}
