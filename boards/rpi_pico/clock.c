/* The RP2040's addresses and reset bits. Source: RP2040 Datasheet, 2.2 "Address map", 2.14 "Subsystem
 * resets". */
#define RESETS 0x4000C000u
#define CLOCKS 0x40008000u
#define XOSC 0x40024000u
#define PLL_SYS 0x40028000u
#define IO_BANK0 0x40014000u
#define PADS_BANK0 0x4001C000u

#define RESET_PLL_SYS (1u << 12)
#define RESET_UART (1u << 5 | 1u << 8 | 1u << 22) /* IO_BANK0, PADS_BANK0, UART0 */
#define PLL_DIVIDERS (6u << 16 | 2u << 12)        /* 1500 MHz over 6 and over 2: 125 MHz */

#include "ct_rp2_clock.h"
