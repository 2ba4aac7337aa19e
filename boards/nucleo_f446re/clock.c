/* Clock tree and pins. Sources: RM0390, chapters 3 (flash), 6 (RCC), 7 (GPIO); DS10693, table 11.
 *
 * The internal oscillator is exact enough for a UART (1 %), and needs no bridge of the board to be set.
 */
#include "ct_scs.h"
#include "ct_startup.h"

#define FLASH_ACR CT_REGISTER(0x40023C00u)
#define RCC_CR CT_REGISTER(0x40023800u)
#define RCC_PLLCFGR CT_REGISTER(0x40023804u)
#define RCC_CFGR CT_REGISTER(0x40023808u)
#define RCC_AHB1ENR CT_REGISTER(0x40023830u)
#define RCC_APB1ENR CT_REGISTER(0x40023840u)
#define GPIOA_MODER CT_REGISTER(0x40020000u)
#define GPIOA_AFRL CT_REGISTER(0x40020020u)

#define CR_PLLON (1u << 24)
#define CR_PLLRDY (1u << 25)
/* 16 MHz / 16 * 336 / 2 = 168 MHz, the most without over-drive; over 7 is 48 MHz, and R must not be below 2.
 */
#define PLLCFGR_168_MHZ (16u | 336u << 6 | 7u << 24 | 2u << 28)
#define CFGR_PLL 2u
#define CFGR_APB1_BY_4 (5u << 10)
#define CFGR_APB2_BY_2 (4u << 13)
#define CFGR_SWS (3u << 2)
#define CFGR_SWS_PLL (2u << 2)
#define ACR_5_WAIT_STATES 5u /* 168 MHz at 2.7 V to 3.6 V */
#define ACR_PREFETCH_CACHES (7u << 8)
#define AHB1ENR_GPIOA (1u << 0)
#define APB1ENR_USART2 (1u << 17)

/* Locking takes 300 us at most. */
#define MAX_POLLS 50000u

static void run_from_pll(void)
{
    RCC_PLLCFGR = PLLCFGR_168_MHZ;
    RCC_CR |= CR_PLLON;
    for (uint32_t i = 0; i < MAX_POLLS && (RCC_CR & CR_PLLRDY) == 0u; i++) {
    }
    FLASH_ACR = ACR_PREFETCH_CACHES | ACR_5_WAIT_STATES;
    RCC_CFGR = CFGR_PLL | CFGR_APB1_BY_4 | CFGR_APB2_BY_2;
    for (uint32_t i = 0; i < MAX_POLLS && (RCC_CFGR & CFGR_SWS) != CFGR_SWS_PLL; i++) {
    }
}

/* PA2 and PA3 become USART2 (alternate function 7). */
static void connect_uart(void)
{
    RCC_AHB1ENR |= AHB1ENR_GPIOA;
    RCC_APB1ENR |= APB1ENR_USART2;
    (void)RCC_APB1ENR; /* a peripheral's clock takes two cycles to arrive */
    GPIOA_AFRL = (GPIOA_AFRL & ~(0xFFu << 8)) | (0x77u << 8);
    GPIOA_MODER = (GPIOA_MODER & ~(0xFu << 4)) | (0xAu << 4);
}

void ct_board_init(void)
{
    run_from_pll();
    connect_uart();
}
