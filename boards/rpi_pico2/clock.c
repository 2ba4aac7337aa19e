/* The RP2350's addresses and reset bits. Source: RP2350 Datasheet, 2.2 "Address map", 7.5 "Subsystem resets".
 */
#define RESETS 0x40020000u
#define CLOCKS 0x40010000u
#define XOSC 0x40048000u
#define PLL_SYS 0x40050000u
#define IO_BANK0 0x40028000u
#define PADS_BANK0 0x40038000u

#define RESET_PLL_SYS (1u << 14)
#define RESET_UART (1u << 6 | 1u << 9 | 1u << 26) /* IO_BANK0, PADS_BANK0, UART0 */
#define PLL_DIVIDERS (5u << 16 | 2u << 12)        /* 1500 MHz over 5 and over 2: 150 MHz */

#include "ct_rp2_clock.h"
