/* UART of Nordic's nRF51 and nRF52 (there beside the UARTE), without EasyDMA. Sources: nRF51 Series Reference
 * Manual 3.0, chapters 14 (GPIO) and 29 (UART); nRF52840 Product Specification 1.1, 6.34.
 *
 * It holds six received bytes. Facts from board.yml: base, baud, irq, tx_pin and rx_pin (of port 0).
 */
#include "ct_uart.h"

#include "ct_board.h"
#include "ct_interrupt.h"
#include "ct_scs.h"

#define UART(offset) CT_REGISTER(CT_UART_BASE + (offset))
#define START_RX UART(0x000)
#define START_TX UART(0x008)
#define RX_READY UART(0x108)
#define TX_READY UART(0x11C)
#define INTENSET UART(0x304)
#define ENABLE UART(0x500)
#define PSELRTS UART(0x508)
#define PSELTXD UART(0x50C)
#define PSELCTS UART(0x510)
#define PSELRXD UART(0x514)
#define RXD UART(0x518)
#define TXD UART(0x51C)
#define BAUDRATE UART(0x524)
#define CONFIG UART(0x56C)

#define ENABLE_UART 4u
#define NO_PIN 0xFFFFFFFFu
#define INT_RX_READY (1u << 2)

#define GPIO_OUTSET CT_REGISTER(0x50000508u)
#define GPIO_PIN_CNF(pin) CT_REGISTER(0x50000700u + 4u * (pin))
#define PIN_OUTPUT 1u
#define PIN_INPUT_PULL_UP (3u << 2)

/* The baud rate generator counts in 2^-32 of 16 MHz; the register has the upper 20 bits, rounded. */
#define BAUD_UNITS ((((uint64_t)CT_UART_BAUD << 32) / 16000000u + 0x800u) & 0xFFFFF000u)

void ct_uart_init(void)
{
    ENABLE = 0;
    GPIO_OUTSET = 1u << CT_UART_TX_PIN; /* an idle line is high */
    GPIO_PIN_CNF(CT_UART_TX_PIN) = PIN_OUTPUT;
    GPIO_PIN_CNF(CT_UART_RX_PIN) = PIN_INPUT_PULL_UP;
    PSELRTS = NO_PIN;
    PSELCTS = NO_PIN;
    PSELTXD = CT_UART_TX_PIN;
    PSELRXD = CT_UART_RX_PIN;
    BAUDRATE = (uint32_t)BAUD_UNITS;
    CONFIG = 0; /* no parity, no flow control */
    ENABLE = ENABLE_UART;
    INTENSET = INT_RX_READY;
    RX_READY = 0;
    START_RX = 1;
    START_TX = 1;
}

int ct_uart_get(void)
{
    if (RX_READY == 0u) {
        return -1;
    }
    RX_READY = 0; /* before the read, which sets it again if there is another byte */
    return (int)(RXD & 0xFFu);
}

void ct_uart_put(uint8_t byte)
{
    TX_READY = 0;
    TXD = byte;
    while (TX_READY == 0u) {
    }
}

static int has_byte(void)
{
    return RX_READY != 0u;
}

void ct_uart_wait(void)
{
    ct_interrupt_wait(CT_UART_IRQ, has_byte);
}
