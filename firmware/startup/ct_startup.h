/* From reset to main(), and what the linker script promises. Internal to the firmware. */
#ifndef CT_STARTUP_H
#define CT_STARTUP_H

#include <stdint.h>

/* Lowest word of the stack; whatever else stands there has overflowed it. */
#define CT_STACK_CANARY 0x5AFE57ACu
/* The rest of the stack before use. Its low-water mark is where this pattern ends. */
#define CT_STACK_PAINT 0xC7C7C7C7u

typedef union ct_vector {
    void (*handler)(void);
    const void *initial_stack;
} ct_vector;

extern const ct_vector ct_vectors[16];

/* Bounds made by the linker script; word aligned. */
extern uint32_t ct_stack_bottom[], ct_stack_top[];
/* The stack pointer must not go below this; the canary lies beyond it. Multiple of 8. */
#define CT_STACK_LIMIT (ct_stack_bottom + 2)

extern uint32_t ct_data_start[], ct_data_end[], ct_bss_start[], ct_bss_end[];
extern const uint32_t ct_data_load[];
extern uint32_t ct_weights_start[], ct_weights_end[];
extern const uint32_t ct_weights_load[];

void ct_reset_handler(void);
void ct_core_init(void);
void ct_fault_handler(void); /* of every exception that must not happen */

/* Clocks, flash wait states, pins: boards/<board>/<any>.c defines it where reset does not suffice. It runs
 * before .data and .bss are valid. */
void ct_board_init(void);

int main(void);

#endif
