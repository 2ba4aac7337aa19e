/* Vector table and reset. Nothing here may rely on .data or .bss before they are set up. */
#include "ct_startup.h"

#include "ct_board.h"
#include "ct_platform.h"
#include "ct_uart.h"

__attribute__((section(".ct_vectors"), used)) const ct_vector ct_vectors[16] = {
    {.initial_stack = ct_stack_top},
    {ct_reset_handler},
    {ct_fault_handler}, /* NMI */
    {ct_fault_handler}, /* HardFault */
    {ct_fault_handler}, /* MemManage */
    {ct_fault_handler}, /* BusFault */
    {ct_fault_handler}, /* UsageFault */
    {ct_fault_handler}, /* SecureFault */
    {ct_fault_handler},
    {ct_fault_handler},
    {ct_fault_handler},
    {ct_fault_handler}, /* SVCall */
    {ct_fault_handler}, /* DebugMonitor */
    {ct_fault_handler},
    {ct_fault_handler}, /* PendSV */
    {ct_fault_handler}, /* SysTick */
};

__attribute__((weak)) void ct_board_init(void)
{
}

/* The loops below are volatile so that the compiler does not make calls of memcpy and memset out of them,
 * which would use the stack that is being painted, or the FPU. */
static void copy(volatile uint32_t *to, const uint32_t *end, const volatile uint32_t *from)
{
    while (to < end) {
        *to++ = *from++;
    }
}

static void fill(volatile uint32_t *to, const uint32_t *end, uint32_t value)
{
    while (to < end) {
        *to++ = value;
    }
}

static void prepare_stack(void)
{
#if CT_CORE_STACK_LIMIT
    __asm__ volatile("msr msplim, %0" ::"r"(CT_STACK_LIMIT));
#endif
    /* All but what this function and its caller may use; nothing was called yet, so that is little. */
    fill(ct_stack_bottom + 1, (uint32_t *)__builtin_frame_address(0) - 32, CT_STACK_PAINT);
    *ct_stack_bottom = CT_STACK_CANARY;
}

static void start(void)
{
    ct_board_init();
    copy(ct_data_start, ct_data_end, ct_data_load);
    if (CT_COPIES_WEIGHTS) {
        copy(ct_weights_start, ct_weights_end, ct_weights_load);
    }
    fill(ct_bss_start, ct_bss_end, 0);
    ct_uart_init();
    ct_end(main());
}

void ct_reset_handler(void)
{
    prepare_stack();
    ct_core_init();
    start();
}
