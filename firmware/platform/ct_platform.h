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

/* Ends the program: sends CT_CONSOLE_END and sleeps for ever; on the host, exits with `status`. */
_Noreturn void ct_end(int status);

#endif
