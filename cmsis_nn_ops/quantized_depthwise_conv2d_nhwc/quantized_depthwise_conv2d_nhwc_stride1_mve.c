#include "depthwise_mve.h"

/* Two by two outputs at a time: the windows of all four lie in one vector. For the neighbours along the strip
 * the weights are moved by a position, for those across the input. */
static void compute_two_rows(ct_depthwise_pass *pass)
{
    CT_DEPTHWISE_CHANNELS(pass,
                          "vldrw.u32   q7, [q3, #128]!\n\t"
                          "vmladav.s8  r2, q7, q4\n\t"
                          "vmladav.s8  r4, q7, q5\n\t"
                          "vshr.u32    q7, q7, #8\n\t"
                          "vmladav.s8  r6, q7, q4\n\t"
                          "vmladav.s8  r8, q7, q5\n\t",
                          "vstrb.32");
}

/* Four outputs of a row at a time, each with a window of its own. */
static void compute_row(ct_depthwise_pass *pass)
{
    CT_DEPTHWISE_CHANNELS(pass,
                          "vldrw.u32   q6, [q3, #64]!\n\t"
                          "vmladav.s8  r2, q6, q4\n\t"
                          "vldrw.u32   q7, [q3, #64]!\n\t"
                          "vmladav.s8  r4, q7, q4\n\t"
                          "vldrw.u32   q6, [q3, #64]!\n\t"
                          "vmladav.s8  r6, q6, q4\n\t"
                          "vldrw.u32   q7, [q3, #64]!\n\t"
                          "vmladav.s8  r8, q7, q4\n\t",
                          "vpst\n\t"
                          "vstrbt.32");
}

static void compute_block(const ct_depthwise_block *b, ct_depthwise_pass *pass)
{
    ct_depthwise_fours_mve(b, pass, b->rows > 1 ? compute_two_rows : compute_row);
}

ct_status ct_quantized_depthwise_conv2d_nhwc_stride1_mve(const ct_quantized_depthwise_conv2d_nhwc_params *p,
                                                         const int8_t *input, const int8_t *weights,
                                                         const ct_depthwise_channel *channels,
                                                         const ct_depthwise_vector *vectors, int8_t *output,
                                                         void *scratch)
{
    ct_depthwise_strips_mve(p, input, weights, channels, vectors, output, scratch, p->strip_rows,
                            compute_block);
    return CT_OK;
}
