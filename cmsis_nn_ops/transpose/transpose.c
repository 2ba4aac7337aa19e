#include "transpose.h"
#include <string.h>

#define DEFINE_COPY(name, type)                                                  \
    static void name(const ct_transpose_run *r, const void *input, void *output) \
    {                                                                            \
        const type *in = input;                                                  \
        type *out = output;                                                      \
        for (uint32_t i = 0; i < r->size; i++) {                                 \
            out[i * r->output_stride] = in[i * r->input_stride];                 \
        }                                                                        \
    }

DEFINE_COPY(copy_1, uint8_t)
DEFINE_COPY(copy_2, uint16_t)
DEFINE_COPY(copy_4, uint32_t)
DEFINE_COPY(copy_8, uint64_t)

static void copy_run(const ct_transpose_run *r, const uint8_t *input, uint8_t *output)
{
    const uint32_t element_bytes = r->element_bytes;
    if (r->input_stride == 1 && r->output_stride == 1) {
        memcpy(output, input, r->size * element_bytes);
    } else if (element_bytes == 1) {
        copy_1(r, input, output);
    } else if (element_bytes == 2) {
        copy_2(r, input, output);
    } else if (element_bytes == 4) {
        copy_4(r, input, output);
    } else {
        copy_8(r, input, output);
    }
}

/* Moves to the next index of the outer axes, the last of them first; 0 at the end. `in` and `out` follow it.
 */
static int advance(const ct_transpose_params *p, uint32_t *index, uint32_t *in, uint32_t *out)
{
    for (uint32_t axis = p->rank - 1u; axis-- > 0;) {
        *in += p->input_strides[axis];
        *out += p->output_strides[axis];
        if (++index[axis] < p->sizes[axis]) {
            return 1;
        }
        *in -= index[axis] * p->input_strides[axis];
        *out -= index[axis] * p->output_strides[axis];
        index[axis] = 0;
    }
    return 0;
}

void ct_transpose_runs(const ct_transpose_params *p, const void *input, void *output, ct_transpose_copy copy)
{
    const uint32_t last = p->rank - 1u, bytes = p->element_bytes;
    const ct_transpose_run run = {p->sizes[last], p->input_strides[last], p->output_strides[last], bytes};
    uint32_t index[CT_TRANSPOSE_AXES] = {0};
    uint32_t in = 0, out = 0; /* first elements of the run */
    do {
        copy(&run, (const uint8_t *)input + in * bytes, (uint8_t *)output + out * bytes);
    } while (advance(p, index, &in, &out));
}

ct_status ct_transpose(const ct_transpose_params *p, const void *input, void *output)
{
    ct_transpose_runs(p, input, output, copy_run);
    return CT_OK;
}
