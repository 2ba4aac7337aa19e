/* What an app may ask of the machine that it runs on; the same on every board and on the host.
 *
 * The start-up code has everything running before main(): clocks, FPU, caches, .data, .bss, UART.
 */
#ifndef CT_PLATFORM_H
#define CT_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ct.h"

/* Places the arena in the memory that has the role `arena`. It is not cleared at reset. */
#ifdef CT_HOST
#define CT_ARENA_SECTION
#else
#define CT_ARENA_SECTION __attribute__((section(".ct_arena")))
#endif

/* Sent by ct_end: the console that reads the UART may stop. ASCII EOT; never part of text. */
#define CT_CONSOLE_END 0x04u

/* The instance that runs now, for the fault report; NULL if none. The app sets it around ct_run. */
extern const ct_instance *volatile ct_current_instance;

/* Size of the main stack, and the most of it that was ever in use since reset. 0 on the host. */
size_t ct_stack_bytes(void);
size_t ct_stack_peak_bytes(void);

/* False once something has written over the lowest word of the stack. */
bool ct_stack_intact(void);

/* CPU cycles since reset, modulo 2^32; constantly 0 where the core, or the emulator, has no counter. */
uint32_t ct_cycles(void);
bool ct_cycles_available(void);

/* A processor fault, as the handler found it. Status registers are 0 where the core has none (M0, M23). */
typedef struct ct_fault {
    uint32_t exception; /* exception number (IPSR): 3 HardFault, 4 MemManage, 5 BusFault, 6 UsageFault */
    uint32_t step;      /* step of the plan that ran, CT_FAULT_NO_STEP if none */
    uint32_t r0, r1, r2, r3, r12, lr, pc, xpsr, sp;
    uint32_t cfsr, hfsr, mmfar, bfar;
} ct_fault;
#define CT_FAULT_NO_STEP 0xFFFFFFFFu

/* The last fault, kept (checksummed, in memory that start-up does not clear) across resets until it is
 * forgotten; NULL if there was none since power-on. */
const ct_fault *ct_last_fault(void);
void ct_forget_fault(void);

/* Called by the fault handler once the record is kept and its text sent. Weak: ct_end(1) unless the app
 * defines it; an app that serves a peer would rather ct_reset(). */
_Noreturn void ct_after_fault(void);

/* Restarts the device; on the host, ends the process. */
_Noreturn void ct_reset(void);

/* Ends the program: sends CT_CONSOLE_END and sleeps for ever; on the host, exits with `status`. */
_Noreturn void ct_end(int status);

#endif
