/* Brings the core's options to life: floating point and Helium, caches, faults, cycle counter. */
#include "ct_startup.h"

#include <stddef.h>

#include "ct_board.h"
#include "ct_scs.h"

static void enable_fpu(void)
{
    CT_CPACR |= CT_CPACR_FPU;
    ct_barrier();
}

/* Lines hold nothing useful after power-up, but may be marked valid: drop them before use. */
static void invalidate_dcache(void)
{
    CT_CSSELR = 0; /* data cache, level 1 */
    ct_barrier();
    const uint32_t geometry = CT_CCSIDR;
    const uint32_t last_way = (geometry >> 3) & 0x3FFu;
    const uint32_t last_set = (geometry >> 13) & 0x7FFFu;
    const uint32_t set_shift = (geometry & 7u) + 4u;
    /* The way stands at the top of the word, in as many bits as it needs. */
    const uint32_t way_shift = last_way == 0u ? 0u : (uint32_t)__builtin_clz(last_way);
    for (uint32_t way = 0; way <= last_way; way++) {
        for (uint32_t set = 0; set <= last_set; set++) {
            CT_DCISW = (way << way_shift) | (set << set_shift);
        }
    }
    ct_barrier();
}

static void enable_caches(void)
{
    CT_ICIALLU = 0;
    invalidate_dcache();
    CT_CCR |= CT_CCR_ICACHE | CT_CCR_DCACHE;
    ct_barrier();
}

/* Each fault gets its own exception, and division by zero becomes one. */
static void enable_faults(void)
{
    CT_SHCSR |= CT_SHCSR_FAULTS;
    CT_CCR |= CT_CCR_DIV_0_TRP;
}

static void start_cycle_counter(void)
{
    CT_DEMCR |= CT_DEMCR_TRCENA;
    CT_DWT_LAR = CT_DWT_LAR_KEY; /* locked after reset on the Cortex-M7; elsewhere without effect */
    CT_DWT_CYCCNT = 0;
    CT_DWT_CTRL |= CT_DWT_CTRL_CYCCNTENA;
}

void ct_core_init(void)
{
    if (CT_CORE_FPU) {
        enable_fpu(); /* first: the compiler may use vector registers anywhere after this */
    }
    if (CT_CORE_VTOR) {
        CT_VTOR = (uint32_t)(uintptr_t)ct_vectors;
    }
    if (CT_CORE_LOOP_CACHE) {
        CT_CCR |= CT_CCR_LOOP_CACHE;
    }
    if (CT_CORE_CACHES) {
        enable_caches();
    }
    if (CT_CORE_MAINLINE) {
        enable_faults();
        start_cycle_counter();
    }
}
