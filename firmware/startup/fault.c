/* What happens when something must not: registers, fault status and the step of the plan that ran are kept
 * across a reset, and go out on the UART in a form that cortorch.on_device.fault reads.
 *
 * Only the main stack is looked at: this firmware has no other.
 */
#include "ct_board.h"
#include "ct_platform.h"
#include "ct_scs.h"
#include "ct_startup.h"
#include "ct_text.h"
#include "ct_uart.h"

/* Registers that the hardware pushes on an exception. */
typedef struct frame {
    uint32_t r0, r1, r2, r3, r12, lr, pc, xpsr;
} frame;

/* Stack that the report itself needs, with margin. */
#define REPORT_STACK_BYTES 512

#define FAULT_WORDS (sizeof(ct_fault) / sizeof(uint32_t))

const ct_instance *volatile ct_current_instance;

/* After power-on the memory holds anything: the sum tells whether that is a record. */
__attribute__((section(".ct_noinit"))) static struct {
    union {
        ct_fault fault;
        uint32_t words[FAULT_WORDS];
    };
    uint32_t sum;
} kept;

/* Thumb-1 only, so that it is the same on every core. The report goes on with the stack that it finds, unless
 * that has run out or is nowhere: then it takes the lowest part, where the deepest calls were; what the
 * report shows is more likely to stand at the other end. */
__attribute__((naked)) void ct_fault_handler(void)
{
    __asm__ volatile("mov r0, sp\n\t"
                     "ldr r1, =ct_stack_bottom + %c0\n\t"
                     "ldr r2, =ct_stack_top\n\t"
                     "cmp r0, r1\n\t"
                     "blo 1f\n\t"
                     "cmp r0, r2\n\t"
                     "bls 2f\n"
                     "1:\n\t"
                     "mov sp, r1\n"
                     "2:\n\t"
                     "ldr r1, =ct_fault_entered\n\t"
                     "bx r1\n\t"
                     ".ltorg" ::"i"(REPORT_STACK_BYTES));
}

/* FNV-1a over words; its start value keeps memory full of zeros from passing. */
static uint32_t sum_of_kept(void)
{
    uint32_t sum = 2166136261u;
    for (uint32_t i = 0; i < FAULT_WORDS; i++) {
        sum = (sum ^ kept.words[i]) * 16777619u;
    }
    return sum;
}

const ct_fault *ct_last_fault(void)
{
    return kept.sum == sum_of_kept() ? &kept.fault : NULL;
}

void ct_forget_fault(void)
{
    kept.sum = ~sum_of_kept();
}

/* There is no frame to read where the stack pointer is wild, nor at the stack's limit: that is where a core
 * puts the pointer when the frame does not fit. */
static const frame *frame_at(uintptr_t sp)
{
    static const frame unknown;
    const bool in_stack = sp > (uintptr_t)CT_STACK_LIMIT && sp + sizeof(frame) <= (uintptr_t)ct_stack_top;
    return in_stack ? (const frame *)sp : &unknown;
}

static void keep(uintptr_t sp, uint32_t exception)
{
    const ct_instance *instance = ct_current_instance;
    const frame *f = frame_at(sp);
    kept.fault = (ct_fault){
        .exception = exception,
        .step = instance == NULL ? CT_FAULT_NO_STEP : instance->step,
        .r0 = f->r0,
        .r1 = f->r1,
        .r2 = f->r2,
        .r3 = f->r3,
        .r12 = f->r12,
        .lr = f->lr,
        .pc = f->pc,
        .xpsr = f->xpsr,
        .sp = (uint32_t)sp,
        .cfsr = CT_CORE_MAINLINE ? CT_CFSR : 0u,
        .hfsr = CT_CORE_MAINLINE ? CT_HFSR : 0u,
        .mmfar = CT_CORE_MAINLINE ? CT_MMFAR : 0u,
        .bfar = CT_CORE_MAINLINE ? CT_BFAR : 0u,
    };
    kept.sum = sum_of_kept();
}

static void put_registers(const ct_fault *fault)
{
    const struct {
        const char *name;
        uint32_t value;
    } registers[] = {
        {" pc=", fault->pc},     {" lr=", fault->lr},     {" sp=", fault->sp},     {" xpsr=", fault->xpsr},
        {" r0=", fault->r0},     {" r1=", fault->r1},     {" r2=", fault->r2},     {" r3=", fault->r3},
        {" r12=", fault->r12},   {" cfsr=", fault->cfsr}, {" hfsr=", fault->hfsr}, {" mmfar=", fault->mmfar},
        {" bfar=", fault->bfar},
    };
    for (uint32_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        ct_text(registers[i].name);
        ct_text_hex(registers[i].value);
    }
}

static void put_step(const ct_model *model, uint32_t step)
{
    ct_text("fault: in model ");
    ct_text(model->name);
    ct_text(", step ");
    ct_text_unsigned(step);
    ct_text(" of ");
    ct_text_unsigned(model->step_count);
    if (model->step_info != NULL && step < model->step_count) {
        ct_text(": ");
        ct_text(model->step_info[step].name);
        ct_text(", ");
        ct_text(model->step_info[step].kernel);
    }
    ct_text("\n");
}

static void report(const ct_fault *fault)
{
    const ct_instance *instance = ct_current_instance;
    ct_uart_init();
    ct_uart_put(0); /* ends whatever frame of the test protocol was on its way */
    ct_text("\nfault: exception ");
    ct_text_unsigned(fault->exception);
    put_registers(fault);
    ct_text("\n");
    if (!ct_stack_intact() || fault->sp <= (uintptr_t)CT_STACK_LIMIT) {
        ct_text("fault: the stack has overflowed\n");
    }
    if (instance != NULL && instance->model != NULL) {
        put_step(instance->model, fault->step);
    }
}

__attribute__((weak)) _Noreturn void ct_after_fault(void)
{
    ct_end(1);
}

/* The pointers that the report follows may be what broke: a second fault ends it. */
__attribute__((noinline)) static void keep_and_report(uintptr_t sp)
{
    static bool reporting;
    uint32_t exception;
    __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
    if (!reporting) {
        reporting = true;
        keep(sp, exception);
        report(&kept.fault);
    }
}

__attribute__((used)) _Noreturn void ct_fault_entered(uintptr_t sp)
{
    if (CT_CORE_FPU) {
        /* The first vector instruction would save the floating-point state where the stack pointer was. */
        CT_FPCCR &= ~CT_FPCCR_LSPACT;
        ct_barrier();
    }
    keep_and_report(sp);
    ct_after_fault();
}
