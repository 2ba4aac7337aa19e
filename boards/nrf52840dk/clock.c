/* Crystal and instruction cache. Sources: nRF52840 Product Specification 1.1, 5.4 (CLOCK), 4.3 (NVMC). */
#include "ct_scs.h"
#include "ct_startup.h"

#define TASKS_HFCLKSTART CT_REGISTER(0x40000000u)
#define EVENTS_HFCLKSTARTED CT_REGISTER(0x40000100u)
#define ICACHECNF CT_REGISTER(0x4001E540u)

/* Start-up takes 360 us; without a crystal the RC oscillator goes on. */
#define MAX_POLLS 20000u

void ct_board_init(void)
{
    ICACHECNF = 1;
    TASKS_HFCLKSTART = 1;
    for (uint32_t i = 0; i < MAX_POLLS && EVENTS_HFCLKSTARTED == 0u; i++) {
    }
}
