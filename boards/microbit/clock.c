/* The crystal: the RC oscillator that runs after reset is too inexact for a UART (nRF51 Series Reference
 * Manual 3.0, chapter 13). */
#include "ct_scs.h"
#include "ct_startup.h"

#define TASKS_HFCLKSTART CT_REGISTER(0x40000000u)
#define EVENTS_HFCLKSTARTED CT_REGISTER(0x40000100u)

/* Start-up takes 400 us; without a crystal the RC oscillator goes on. */
#define MAX_POLLS 20000u

void ct_board_init(void)
{
    TASKS_HFCLKSTART = 1;
    for (uint32_t i = 0; i < MAX_POLLS && EVENTS_HFCLKSTARTED == 0u; i++) {
    }
}
