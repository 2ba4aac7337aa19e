/* The host's "UART": stdin and stdout of the process, as raw bytes. */
#include "ct_uart.h"

#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define BUFFER_BYTES 4096u

static uint8_t received[BUFFER_BYTES];
static size_t received_count, received_next;
static uint8_t queued[BUFFER_BYTES];
static size_t queued_count;

static void flush(void)
{
    for (size_t sent = 0; sent < queued_count;) {
        const ssize_t n = write(STDOUT_FILENO, queued + sent, queued_count - sent);
        if (n <= 0) {
            _exit(1); /* nobody is left to read us, nor to be told */
        }
        sent += (size_t)n;
    }
    queued_count = 0;
}

void ct_uart_init(void)
{
    atexit(flush);
}

int ct_uart_get(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (received_next == received_count) {
        if (poll(&input, 1, 0) <= 0) {
            return -1;
        }
        const ssize_t n = read(STDIN_FILENO, received, sizeof received);
        if (n <= 0) {
            exit(0); /* the cable is unplugged */
        }
        received_count = (size_t)n;
        received_next = 0;
    }
    return received[received_next++];
}

void ct_uart_put(uint8_t byte)
{
    queued[queued_count++] = byte;
    if (queued_count == sizeof queued) {
        flush();
    }
}

void ct_uart_wait(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    flush();
    (void)poll(&input, 1, -1);
}
