#include "transpose.h"
#include <arm_mve.h>

static void copy_contiguous(const uint8_t *input, uint8_t *output, uint32_t bytes)
{
    for (int32_t left = (int32_t)bytes; left > 0; left -= 16) {
        const mve_pred16_t present = vctp8q((uint32_t)left);
        vstrbq_p_u8(output, vldrbq_z_u8(input, present), present);
        input += 16;
        output += 16;
    }
}

static void copy_bytes(const ct_transpose_run *r, const uint8_t *input, uint8_t *output)
{
    const uint16x8_t lane = vidupq_n_u16(0, 1);
    const uint16x8_t from = vmulq_n_u16(lane, (uint16_t)r->input_stride);
    const uint16x8_t to = vmulq_n_u16(lane, (uint16_t)r->output_stride);
    const uint32_t input_step = 8 * r->input_stride, output_step = 8 * r->output_stride;
    for (int32_t left = (int32_t)r->size; left > 0; left -= 8) {
        const mve_pred16_t present = vctp16q((uint32_t)left);
        const uint16x8_t x = vldrbq_gather_offset_z_u16(input, from, present);
        vstrbq_scatter_offset_p_u16(output, to, x, present);
        input += input_step;
        output += output_step;
    }
}

static void copy_run(const ct_transpose_run *r, const uint8_t *input, uint8_t *output)
{
    if (r->input_stride == 1 && r->output_stride == 1) {
        copy_contiguous(input, output, r->size * r->element_bytes);
    } else {
        copy_bytes(r, input, output);
    }
}

ct_status ct_transpose_mve(const ct_transpose_params *p, const void *input, void *output)
{
    ct_transpose_runs(p, input, output, copy_run);
    return CT_OK;
}
