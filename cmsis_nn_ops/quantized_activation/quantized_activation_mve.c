#include "quantized_activation.h"
#include <arm_mve.h>

ct_status ct_quantized_activation_mve(const ct_quantized_activation_params *p, const int8_t *input,
                                      const int8_t *lut, int8_t *output)
{
    for (int32_t left = (int32_t)p->elements; left > 0; left -= 16) {
        const mve_pred16_t present = vctp8q((uint32_t)left);
        /* -128..127 to the indices 0..255. */
        const uint8x16_t index = veorq_u8(vreinterpretq_u8_s8(vldrbq_z_s8(input, present)), vdupq_n_u8(0x80));
        vstrbq_p_s8(output, vldrbq_gather_offset_z_s8(lut, index, present), present);
        input += 16;
        output += 16;
    }
    return CT_OK;
}
