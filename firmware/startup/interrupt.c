#include "ct_interrupt.h"

#include "ct_scs.h"

void ct_interrupt_wait(unsigned irq, int (*is_ready)(void))
{
    const uint32_t bit = 1u << (irq % 32u);
    uint32_t masked;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(masked)::"memory");
    CT_NVIC_ISER(irq) = bit;
    if (!is_ready()) {
        __asm__ volatile("dsb\n\twfi" ::: "memory");
    }
    CT_NVIC_ICER(irq) = bit;
    CT_NVIC_ICPR(irq) = bit;
    __asm__ volatile("msr primask, %0" ::"r"(masked) : "memory");
}
