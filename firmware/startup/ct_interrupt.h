/* Sleeping until a device raises its interrupt, without an interrupt handler. */
#ifndef CT_INTERRUPT_H
#define CT_INTERRUPT_H

/* Sleeps while `is_ready` returns 0, until interrupt `irq` is pending. The handler does not run: interrupts
 * are masked meanwhile, which does not keep the core asleep (Armv6-M ARM B1.5.19, Armv7-M ARM B1.5.18). */
void ct_interrupt_wait(unsigned irq, int (*is_ready)(void));

#endif
