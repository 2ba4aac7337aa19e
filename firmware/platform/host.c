/* The host as a board: no stack to watch, no counter, an end that is the end of the process. */
#include <stdlib.h>

#include "ct_platform.h"
#include "ct_uart.h"

const ct_instance *volatile ct_current_instance;

static void send_end(void)
{
    ct_uart_put(CT_CONSOLE_END);
}

/* Before main(), as the start-up code of a device; the end of the process sends what ct_end would. */
__attribute__((constructor)) static void start(void)
{
    ct_uart_init();
    atexit(send_end);
}

size_t ct_stack_bytes(void)
{
    return 0;
}

size_t ct_stack_peak_bytes(void)
{
    return 0;
}

bool ct_stack_intact(void)
{
    return true;
}

uint32_t ct_cycles(void)
{
    return 0;
}

bool ct_cycles_available(void)
{
    return false;
}

const ct_fault *ct_last_fault(void)
{
    return NULL; /* the operating system reports them */
}

void ct_forget_fault(void)
{
}

_Noreturn void ct_reset(void)
{
    exit(0);
}

_Noreturn void ct_end(int status)
{
    exit(status);
}
