/* The board's one UART: 8N1, polled, no interrupt handler, no buffer but the hardware's.
 *
 * One small file per device implements this; board.yml names it and gives base address, clock, baud rate
 * and interrupt number, which reach the driver through the generated ct_board.h.
 *
 * Reception holds as many bytes as the hardware does (CMSDK: one). Nothing is lost as long as the program
 * returns to ct_uart_get within that many byte times (87 us a byte at 115200 baud). A request/response
 * protocol guarantees it: the peer is silent while the device computes. QEMU never loses a byte, because its
 * UARTs stop their source while they are full.
 */
#ifndef CT_UART_H
#define CT_UART_H

#include <stdint.h>

void ct_uart_init(void);

/* The next received byte (0..255), or -1 if there is none. Returns at once. On the host, the end of stdin
 * ends the process. */
int ct_uart_get(void);

/* Hands one byte to the transmitter; waits while it is full. */
void ct_uart_put(uint8_t byte);

/* Sleeps until ct_uart_get may have a byte. May return early, so call it in a loop; on a UART without an
 * interrupt line it returns at once. On the host it also flushes output. */
void ct_uart_wait(void);

#endif
