/* Crystal, PLL, and the UART's reset, clock and pins, on Raspberry Pi's RP2040 and RP2350: their blocks are
 * the same, at other addresses and reset bits, which the board's clock.c defines before it includes this.
 *
 * Sources: RP2040 Datasheet, 2.14 (resets), 2.15 (clocks), 2.16 (crystal), 2.18 (PLL), 2.19 (pins and pads);
 * RP2350 Datasheet, 7.5, 8.1, 8.2, 8.6, 9.11.
 *
 * Waits have no end here: without its crystal the board cannot run at all.
 */
#ifndef CT_RP2_CLOCK_H
#define CT_RP2_CLOCK_H

#include "ct_scs.h"
#include "ct_startup.h"

#define ATOMIC_CLEAR 0x3000u
#define RESETS_DONE CT_REGISTER(RESETS + 0x8u)
#define CLK_REF_CTRL CT_REGISTER(CLOCKS + 0x30u)
#define CLK_REF_SELECTED CT_REGISTER(CLOCKS + 0x38u)
#define CLK_SYS_CTRL CT_REGISTER(CLOCKS + 0x3Cu)
#define CLK_SYS_SELECTED CT_REGISTER(CLOCKS + 0x44u)
#define CLK_PERI_CTRL CT_REGISTER(CLOCKS + 0x48u)
#define XOSC_CTRL CT_REGISTER(XOSC)
#define XOSC_STATUS CT_REGISTER(XOSC + 0x4u)
#define XOSC_STARTUP CT_REGISTER(XOSC + 0xCu)
#define PLL_CS CT_REGISTER(PLL_SYS)
#define PLL_PWR (PLL_SYS + 0x4u)
#define PLL_FBDIV CT_REGISTER(PLL_SYS + 0x8u)
#define PLL_PRIM CT_REGISTER(PLL_SYS + 0xCu)
#define GPIO_CTRL(pin) CT_REGISTER(IO_BANK0 + 0x4u + 8u * (pin))
#define PAD(pin) CT_REGISTER(PADS_BANK0 + 0x4u + 4u * (pin))

#define XOSC_ENABLE_1_15_MHZ 0xFABAA0u
#define XOSC_STABLE (1u << 31)
#define XOSC_1_MS 47u /* in 256 cycles of 12 MHz */

#define PLL_MULTIPLIER 125u /* 12 MHz * 125 = 1500 MHz */
#define PLL_LOCK (1u << 31)
#define PWR_PD_VCOPD (1u << 0 | 1u << 5)
#define PWR_POSTDIVPD (1u << 3)

#define REF_FROM_XOSC 2u
#define SYS_FROM_PLL 1u
#define PERI_ENABLE (1u << 11) /* from the system clock */

#define FUNCTION_UART 2u
#define PAD_UART 0x5Au /* input enabled, 4 mA, pull-up, Schmitt trigger; on the RP2350 no longer isolated */

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

/* GPIO0 and GPIO1 become UART0, from the system clock. */
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

#endif
