#include "quantized_batch_matmul.h"
#include "ct_requantize.h"

typedef ct_quantized_batch_matmul_params params;

static int32_t dot(const params *p, const int8_t *row, const int8_t *column)
{
    int32_t acc = 0;
    for (int32_t k = 0; k < p->inner; k++) {
        acc += (row[k] + p->lhs_offset) * (column[k] + p->rhs_offset);
    }
    return acc;
}

/* One product of two matrices. */
static void multiply(const params *p, const int8_t *lhs, const int8_t *rhs_transposed, int8_t *output)
{
    for (int32_t i = 0; i < p->rows; i++) {
        const int8_t *column = rhs_transposed;
        for (int32_t j = 0; j < p->columns; j++) {
            const int32_t y = ct_requantize(dot(p, lhs, column), p->multiplier, p->shift);
            *output++ = (int8_t)ct_clamp(y + p->output_zero_point, -128, 127);
            column += p->inner;
        }
        lhs += p->inner;
    }
}

ct_status ct_quantized_batch_matmul(const params *p, const int8_t *lhs, const int8_t *rhs_transposed,
                                    int8_t *output)
{
    for (int32_t b = 0; b < p->batches; b++) {
        multiply(p, lhs, rhs_transposed, output);
        lhs += p->lhs_step;
        rhs_transposed += p->rhs_step;
        output += p->rows * p->columns;
    }
    return CT_OK;
}
