/* System Control Space: the registers that every Cortex-M has at the same address, as far as we use them.
 *
 * Source: Armv6-M, Armv7-M and Armv8-M Architecture Reference Manuals, "System Control Space". Which of them
 * a core has is a fact of the target (CT_CORE_* in ct_board.h).
 */
#ifndef CT_SCS_H
#define CT_SCS_H

#include <stdint.h>

#define CT_REGISTER(address) (*(volatile uint32_t *)(address))

#define CT_DWT_CTRL CT_REGISTER(0xE0001000u)
#define CT_DWT_CYCCNT CT_REGISTER(0xE0001004u)
#define CT_DWT_LAR CT_REGISTER(0xE0001FB0u)
#define CT_NVIC_ISER(irq) CT_REGISTER(0xE000E100u + 4u * ((irq) / 32u))
#define CT_NVIC_ICER(irq) CT_REGISTER(0xE000E180u + 4u * ((irq) / 32u))
#define CT_NVIC_ICPR(irq) CT_REGISTER(0xE000E280u + 4u * ((irq) / 32u))
#define CT_VTOR CT_REGISTER(0xE000ED08u)
#define CT_AIRCR CT_REGISTER(0xE000ED0Cu)
#define CT_CCR CT_REGISTER(0xE000ED14u)
#define CT_SHCSR CT_REGISTER(0xE000ED24u)
#define CT_CFSR CT_REGISTER(0xE000ED28u)
#define CT_HFSR CT_REGISTER(0xE000ED2Cu)
#define CT_MMFAR CT_REGISTER(0xE000ED34u)
#define CT_BFAR CT_REGISTER(0xE000ED38u)
#define CT_CCSIDR CT_REGISTER(0xE000ED80u)
#define CT_CSSELR CT_REGISTER(0xE000ED84u)
#define CT_CPACR CT_REGISTER(0xE000ED88u)
#define CT_SFSR CT_REGISTER(0xE000EDE4u)
#define CT_SFAR CT_REGISTER(0xE000EDE8u)
#define CT_DEMCR CT_REGISTER(0xE000EDFCu)
#define CT_FPCCR CT_REGISTER(0xE000EF34u)
#define CT_ICIALLU CT_REGISTER(0xE000EF50u)
#define CT_DCISW CT_REGISTER(0xE000EF60u)

#define CT_CPACR_FPU (0xFu << 20)  /* CP10 and CP11: floating point and Helium */
#define CT_AIRCR_RESET 0x05FA0004u /* key and SYSRESETREQ */
#define CT_CCR_DIV_0_TRP (1u << 4)
#define CT_CCR_DCACHE (1u << 16)
#define CT_CCR_ICACHE (1u << 17)
#define CT_CCR_LOOP_CACHE (1u << 19)
#define CT_FPCCR_LSPACT (1u << 0)    /* saving the floating-point state is still due */
#define CT_SHCSR_FAULTS (0xFu << 16) /* memory, bus, usage; on Armv8-M also secure */
#define CT_DEMCR_TRCENA (1u << 24)
#define CT_DWT_CTRL_CYCCNTENA (1u << 0)
#define CT_DWT_LAR_KEY 0xC5ACCE55u

static inline void ct_barrier(void)
{
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

#endif
