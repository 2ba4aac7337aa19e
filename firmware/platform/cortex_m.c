/* The platform on a Cortex-M: the stack as the linker script places it, the cycle counter of the DWT. */
#include "ct_platform.h"

#include "ct_board.h"
#include "ct_scs.h"
#include "ct_startup.h"
#include "ct_uart.h"

size_t ct_stack_bytes(void)
{
    return (size_t)((uintptr_t)ct_stack_top - (uintptr_t)ct_stack_bottom);
}

size_t ct_stack_peak_bytes(void)
{
    const uint32_t *lowest = ct_stack_bottom + 1;
    while (lowest < ct_stack_top && *lowest == CT_STACK_PAINT) {
        lowest++;
    }
    return (size_t)((uintptr_t)ct_stack_top - (uintptr_t)lowest);
}

bool ct_stack_intact(void)
{
    return *(volatile uint32_t *)ct_stack_bottom == CT_STACK_CANARY;
}

uint32_t ct_cycles(void)
{
    return CT_CORE_MAINLINE ? CT_DWT_CYCCNT : 0u;
}

bool ct_cycles_available(void)
{
    const uint32_t before = ct_cycles();
    ct_barrier(); /* takes time: a counter that exists moves on */
    return ct_cycles() != before;
}

_Noreturn void ct_reset(void)
{
    CT_AIRCR = CT_AIRCR_RESET;
    ct_barrier();
    for (;;) {
    }
}

_Noreturn void ct_end(int status)
{
    (void)status;
    ct_uart_put(CT_CONSOLE_END);
    for (;;) {
        __asm__ volatile("wfi");
    }
}
