/* Supply, clock tree and pins. Source: RM0433, chapters 4 (flash), 6 (power), 8 (RCC), 11 (GPIO).
 *
 * The internal oscillator is exact enough for a UART (1 %), and needs no bridge of the board to be set.
 */
#include "ct_scs.h"
#include "ct_startup.h"

#define FLASH_ACR CT_REGISTER(0x52002000u)
#define PWR_CSR1 CT_REGISTER(0x58024804u)
#define PWR_CR3 CT_REGISTER(0x5802480Cu)
#define PWR_D3CR CT_REGISTER(0x58024818u)
#define RCC_CR CT_REGISTER(0x58024400u)
#define RCC_CFGR CT_REGISTER(0x58024410u)
#define RCC_D1CFGR CT_REGISTER(0x58024418u)
#define RCC_D2CFGR CT_REGISTER(0x5802441Cu)
#define RCC_D3CFGR CT_REGISTER(0x58024420u)
#define RCC_PLLCKSELR CT_REGISTER(0x58024428u)
#define RCC_PLLCFGR CT_REGISTER(0x5802442Cu)
#define RCC_PLL1DIVR CT_REGISTER(0x58024430u)
#define RCC_AHB4ENR CT_REGISTER(0x580244E0u)
#define RCC_APB1LENR CT_REGISTER(0x580244E8u)
#define GPIOD_MODER CT_REGISTER(0x58020C00u)
#define GPIOD_AFRH CT_REGISTER(0x58020C24u)

#define CR3_BYPASS (1u << 0)
#define CR3_LDOEN (1u << 1)
#define CR3_SCUEN (1u << 2)
#define CSR1_ACTVOSRDY (1u << 13)
#define D3CR_VOSRDY (1u << 13)
#define D3CR_VOS1 (3u << 14) /* the scale for 400 MHz */
#define CR_PLL1ON (1u << 24)
#define CR_PLL1RDY (1u << 25)
/* 64 MHz / 4 * 50 / 2 = 400 MHz; the VCO runs at 800 MHz. */
#define PLLCKSELR_HSI_BY_4 (4u << 4)
#define PLLCFGR_8_TO_16_MHZ (3u << 2)
#define PLLCFGR_DIVP1EN (1u << 16)
#define PLL1DIVR_N50_P2 (49u | 1u << 9)
#define D1CFGR_AHB_BY_2 (8u << 0) /* 200 MHz, and 100 MHz on every APB */
#define D1CFGR_APB3_BY_2 (4u << 4)
#define D2CFGR_APB1_BY_2 (4u << 4)
#define D2CFGR_APB2_BY_2 (4u << 8)
#define D3CFGR_APB4_BY_2 (4u << 4)
#define ACR_2_WAIT_STATES (2u | 2u << 4) /* AXI at 200 MHz, VOS1 */
#define CFGR_PLL1 3u
#define CFGR_SWS (7u << 3)
#define CFGR_SWS_PLL1 (3u << 3)
#define AHB4ENR_GPIOD (1u << 3)
#define APB1LENR_USART3 (1u << 18)

/* The regulator and the PLL each take less than a millisecond. */
#define MAX_POLLS 50000u

static void await(volatile uint32_t *reg, uint32_t mask, uint32_t value)
{
    for (uint32_t i = 0; i < MAX_POLLS && (*reg & mask) != value; i++) {
    }
}

/* The board feeds the core through the internal regulator; the register can be written once after power-on.
 */
static void raise_voltage(void)
{
    PWR_CR3 = (PWR_CR3 & ~CR3_BYPASS) | CR3_LDOEN | CR3_SCUEN;
    await(&PWR_CSR1, CSR1_ACTVOSRDY, CSR1_ACTVOSRDY);
    PWR_D3CR = D3CR_VOS1;
    await(&PWR_D3CR, D3CR_VOSRDY, D3CR_VOSRDY);
}

static void run_from_pll(void)
{
    RCC_PLLCKSELR = PLLCKSELR_HSI_BY_4;
    RCC_PLLCFGR = PLLCFGR_8_TO_16_MHZ | PLLCFGR_DIVP1EN;
    RCC_PLL1DIVR = PLL1DIVR_N50_P2;
    RCC_CR |= CR_PLL1ON;
    await(&RCC_CR, CR_PLL1RDY, CR_PLL1RDY);
    FLASH_ACR = ACR_2_WAIT_STATES;
    RCC_D1CFGR = D1CFGR_AHB_BY_2 | D1CFGR_APB3_BY_2;
    RCC_D2CFGR = D2CFGR_APB1_BY_2 | D2CFGR_APB2_BY_2;
    RCC_D3CFGR = D3CFGR_APB4_BY_2;
    RCC_CFGR = CFGR_PLL1;
    await(&RCC_CFGR, CFGR_SWS, CFGR_SWS_PLL1);
}

/* PD8 and PD9 become USART3 (alternate function 7). */
static void connect_uart(void)
{
    RCC_AHB4ENR |= AHB4ENR_GPIOD;
    RCC_APB1LENR |= APB1LENR_USART3;
    (void)RCC_APB1LENR; /* a peripheral's clock takes two cycles to arrive */
    GPIOD_AFRH = (GPIOD_AFRH & ~0xFFu) | 0x77u;
    GPIOD_MODER = (GPIOD_MODER & ~(0xFu << 16)) | (0xAu << 16);
}

void ct_board_init(void)
{
    raise_voltage();
    run_from_pll();
    connect_uart();
}
