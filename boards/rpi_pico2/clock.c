/* Crystal, PLL, and the UART's reset, clock and pins. Source: RP2350 Datasheet, 7.5 (resets), 8.1
 * (clocks), 8.2 (crystal), 8.6 (PLL), 9.11 (pins and pads).
 *
 * Waits have no end here: without its crystal the board cannot run at all.
 */
#include "ct_scs.h"
#include "ct_startup.h"

#define ATOMIC_CLEAR 0x3000u
#define RESETS 0x40020000u
#define RESETS_DONE CT_REGISTER(RESETS + 0x8u)
#define CLK_REF_CTRL CT_REGISTER(0x40010030u)
#define CLK_REF_SELECTED CT_REGISTER(0x40010038u)
#define CLK_SYS_CTRL CT_REGISTER(0x4001003Cu)
#define CLK_SYS_SELECTED CT_REGISTER(0x40010044u)
#define CLK_PERI_CTRL CT_REGISTER(0x40010048u)
#define XOSC_CTRL CT_REGISTER(0x40048000u)
#define XOSC_STATUS CT_REGISTER(0x40048004u)
#define XOSC_STARTUP CT_REGISTER(0x4004800Cu)
#define PLL_CS CT_REGISTER(0x40050000u)
#define PLL_PWR 0x40050004u
#define PLL_FBDIV CT_REGISTER(0x40050008u)
#define PLL_PRIM CT_REGISTER(0x4005000Cu)
#define GPIO_CTRL(pin) CT_REGISTER(0x40028004u + 8u * (pin))
#define PAD(pin) CT_REGISTER(0x40038004u + 4u * (pin))

#define RESET_PLL_SYS (1u << 14)
#define RESET_UART (1u << 6 | 1u << 9 | 1u << 26) /* IO_BANK0, PADS_BANK0, UART0 */

#define XOSC_ENABLE_1_15_MHZ 0xFABAA0u
#define XOSC_STABLE (1u << 31)
#define XOSC_1_MS 47u /* in 256 cycles of 12 MHz */

/* 12 MHz * 125 = 1500 MHz, over 5 and over 2. */
#define PLL_MULTIPLIER 125u
#define PLL_DIVIDERS (5u << 16 | 2u << 12)
#define PLL_LOCK (1u << 31)
#define PWR_PD_VCOPD (1u << 0 | 1u << 5)
#define PWR_POSTDIVPD (1u << 3)

#define REF_FROM_XOSC 2u
#define SYS_FROM_PLL 1u
#define PERI_ENABLE (1u << 11) /* from the system clock */

#define FUNCTION_UART 2u
#define PAD_UART 0x5Au /* input enabled, 4 mA, pull-up, Schmitt trigger; no longer isolated */

static void leave_reset(uint32_t blocks)
{
    CT_REGISTER(RESETS + ATOMIC_CLEAR) = blocks;
    while ((RESETS_DONE & blocks) != blocks) {
    }
}

static void start_crystal(void)
{
    XOSC_STARTUP = XOSC_1_MS;
    XOSC_CTRL = XOSC_ENABLE_1_15_MHZ;
    while ((XOSC_STATUS & XOSC_STABLE) == 0u) {
    }
    CLK_REF_CTRL = REF_FROM_XOSC;
    while (CLK_REF_SELECTED != 1u << REF_FROM_XOSC) {
    }
}

static void run_from_pll(void)
{
    leave_reset(RESET_PLL_SYS);
    PLL_CS = 1; /* reference divider */
    PLL_FBDIV = PLL_MULTIPLIER;
    CT_REGISTER(PLL_PWR + ATOMIC_CLEAR) = PWR_PD_VCOPD;
    while ((PLL_CS & PLL_LOCK) == 0u) {
    }
    PLL_PRIM = PLL_DIVIDERS;
    CT_REGISTER(PLL_PWR + ATOMIC_CLEAR) = PWR_POSTDIVPD;
    CLK_SYS_CTRL = SYS_FROM_PLL;
    while (CLK_SYS_SELECTED != 1u << SYS_FROM_PLL) {
    }
}

static void connect_uart(void)
{
    CLK_PERI_CTRL = PERI_ENABLE;
    leave_reset(RESET_UART);
    for (uint32_t pin = 0; pin < 2u; pin++) {
        GPIO_CTRL(pin) = FUNCTION_UART;
        PAD(pin) = PAD_UART;
    }
}

void ct_board_init(void)
{
    start_crystal();
    run_from_pll();
    connect_uart();
}
