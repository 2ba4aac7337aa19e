/* The kernels of baked models as operators of the ExecuTorch runtime.
 *
 * The runtime loads a .pte, plans its memory, and calls cortex_m:: operators with boxed values. Each call is
 * looked up in the table of the calls that the program may make, which the host has made together with the
 * baked model: same dtypes, sizes and numbers, or the call fails. Then the kernel of that call runs, with the
 * model's parameters, on the tensors that the runtime has passed.
 */
#ifndef CT_EXECUTORCH_H
#define CT_EXECUTORCH_H

#include "ct.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Operands that are no tensor of the call. */
#define CT_EXECUTORCH_NONE (-1)
#define CT_EXECUTORCH_SCRATCH (-2)

typedef struct ct_executorch_call {
    uint32_t op;   /* index in ct_operators.h */
    uint32_t step; /* of the model; calls of the same signature share one */
    const int64_t *signature;
    uint32_t signature_words;
    uint32_t scratch_bytes;
    uint32_t operand_count; /* <= CT_MAX_OPERANDS */
    /* Each is the index of one of the call's tensors, of which the output is the last; or as above; or
     * CT_REF_CONST + offset, a table of the kernel among the constants of the model. */
    int32_t operands[CT_MAX_OPERANDS];
} ct_executorch_call;

/* Why the last call on this thread failed. */
typedef struct ct_executorch_failure {
    int32_t op;               /* -1: none did */
    int32_t status;           /* ct_status of the kernel; CT_ERR_TENSOR also if no call has such arguments */
    int32_t argument;         /* index of the one that cannot be read; -1: all can */
    const int64_t *signature; /* of those that can; valid until the next call */
    uint32_t signature_words;
} ct_executorch_failure;

/* Adds the operators to the runtime's registry; returns an executorch::runtime::Error, 0 if it went well. */
int32_t ct_executorch_register(void);

/* What this thread runs from now on. The caller keeps model and calls; NULL and 0 to run nothing. */
void ct_executorch_use(const ct_model *model, const ct_executorch_call *calls, uint32_t count);

void ct_executorch_last_failure(ct_executorch_failure *failure);

#ifdef __cplusplus
}
#endif
#endif
