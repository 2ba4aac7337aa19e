#include "pad.h"
#include <string.h>

ct_status ct_pad(const ct_pad_params *p, const int8_t *input, int8_t *output)
{
    memset(output, p->pad_value, p->output_bytes);
    input += p->input_begin;
    output += p->output_begin;
    for (uint32_t a = 0; a < p->counts[0]; a++) {
        for (uint32_t b = 0; b < p->counts[1]; b++) {
            const int8_t *in = input + a * p->input_strides[0] + b * p->input_strides[1];
            int8_t *out = output + a * p->output_strides[0] + b * p->output_strides[1];
            for (uint32_t c = 0; c < p->counts[2]; c++) {
                memcpy(out + c * p->output_strides[2], in + c * p->input_strides[2], p->row_bytes);
            }
        }
    }
    return CT_OK;
}
