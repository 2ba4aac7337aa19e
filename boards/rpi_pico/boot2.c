/* Second stage of the boot ROM: makes flash readable as memory, and starts the image behind it.
 *
 * The ROM copies the first 256 bytes of flash to the end of SRAM, and runs them there if the last four are
 * the CRC of the others, which the build writes (board.yml). So this is one function that calls none. It
 * reads with the command 03h, which every flash chip knows, at a quarter of the system clock: 31 MHz at most.
 *
 * Source: RP2040 Datasheet, 2.8.1.3.1 "Checksum", 4.10 "SSI".
 */
#include "ct_scs.h"
#include "ct_startup.h"

#define SSI 0x18000000u
#define SSI_CTRLR0 CT_REGISTER(SSI + 0x00u)
#define SSI_CTRLR1 CT_REGISTER(SSI + 0x04u)
#define SSI_ENR CT_REGISTER(SSI + 0x08u)
#define SSI_BAUDR CT_REGISTER(SSI + 0x14u)
#define SSI_SPI_CTRLR0 CT_REGISTER(SSI + 0xF4u)

#define CLOCK_DIVIDER 4u
#define CTRLR0_READ_32_BITS (31u << 16 | 3u << 8) /* frames of 32 bits; send, then receive */
/* Command 03h of 8 bits (2 nibbles), then an address of 24 bits (6 nibbles), on one line each. */
#define SPI_CTRLR0_READ (0x03u << 24 | 2u << 8 | 6u << 2)

extern void ct_boot2(void);

__attribute__((section(".ct_boot"), used)) void ct_boot2(void)
{
    SSI_ENR = 0; /* it takes settings only while it is off */
    SSI_BAUDR = CLOCK_DIVIDER;
    SSI_CTRLR0 = CTRLR0_READ_32_BITS;
    SSI_CTRLR1 = 0; /* one frame at a time */
    SSI_SPI_CTRLR0 = SPI_CTRLR0_READ;
    SSI_ENR = 1;
    const volatile ct_vector *vectors = ct_vectors; /* in flash, which can be read now, not earlier */
    __asm__ volatile("msr msp, %0\n\tbx %1" ::"r"(vectors[0].initial_stack), "r"(vectors[1].handler));
    __builtin_unreachable();
}
