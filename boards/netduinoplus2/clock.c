/* Clock tree and pins. Sources: RM0090, chapters 3 (flash), 7 (RCC), 8 (GPIO); DS8626, table 9.
 *
 * Every wait has an end. Without a crystal the PLL runs from the internal oscillator; without a PLL (QEMU has
 * no clock tree) everything stays as reset left it.
 */
#include <stdbool.h>

#include "ct_scs.h"
#include "ct_startup.h"

#define FLASH_ACR CT_REGISTER(0x40023C00u)
#define RCC_CR CT_REGISTER(0x40023800u)
#define RCC_PLLCFGR CT_REGISTER(0x40023804u)
#define RCC_CFGR CT_REGISTER(0x40023808u)
#define RCC_AHB1ENR CT_REGISTER(0x40023830u)
#define RCC_APB2ENR CT_REGISTER(0x40023844u)
#define GPIOC_MODER CT_REGISTER(0x40020800u)
#define GPIOC_AFRL CT_REGISTER(0x40020820u)

#define CR_HSEON (1u << 16)
#define CR_HSERDY (1u << 17)
#define CR_PLLON (1u << 24)
#define CR_PLLRDY (1u << 25)
#define PLLCFGR_HSE (1u << 22)
#define CFGR_PLL 2u
#define CFGR_APB1_BY_4 (5u << 10)
#define CFGR_APB2_BY_2 (4u << 13)
#define CFGR_SWS_PLL (2u << 2)
#define ACR_5_WAIT_STATES 5u /* 168 MHz at 2.7 V to 3.6 V */
#define ACR_PREFETCH_CACHES (7u << 8)
#define AHB1ENR_GPIOC (1u << 2)
#define APB2ENR_USART6 (1u << 5)

#define HSE_MHZ 25u
#define HSI_MHZ 16u
/* 1 MHz times 336 over 2 is 168 MHz; over 7 is 48 MHz for USB. */
#define PLL_FACTORS ((336u << 6) | (7u << 24))

/* At 16 MHz some 20 ms; crystals of this size take 2 ms. */
#define MAX_POLLS 50000u

static bool wait_for(const volatile uint32_t *reg, uint32_t bits)
{
    for (uint32_t i = 0; i < MAX_POLLS; i++) {
        if ((*reg & bits) == bits) {
            return true;
        }
    }
    return false;
}

static void run_from_pll(void)
{
    RCC_CR |= CR_HSEON;
    const bool crystal = wait_for(&RCC_CR, CR_HSERDY);
    RCC_PLLCFGR = PLL_FACTORS | (crystal ? PLLCFGR_HSE | HSE_MHZ : HSI_MHZ);
    RCC_CR |= CR_PLLON;
    if (!wait_for(&RCC_CR, CR_PLLRDY)) {
        return;
    }
    FLASH_ACR = ACR_PREFETCH_CACHES | ACR_5_WAIT_STATES;
    RCC_CFGR = CFGR_PLL | CFGR_APB1_BY_4 | CFGR_APB2_BY_2;
    (void)wait_for(&RCC_CFGR, CFGR_SWS_PLL);
}

/* PC6 and PC7 become USART6 (alternate function 8). */
static void connect_uart(void)
{
    RCC_AHB1ENR |= AHB1ENR_GPIOC;
    RCC_APB2ENR |= APB2ENR_USART6;
    (void)RCC_APB2ENR; /* a peripheral's clock takes two cycles to arrive */
    GPIOC_AFRL = (GPIOC_AFRL & ~(0xFFu << 24)) | (0x88u << 24);
    GPIOC_MODER = (GPIOC_MODER & ~(0xFu << 12)) | (0xAu << 12);
}

void ct_board_init(void)
{
    run_from_pll();
    connect_uart();
}
