#include "quantized_recurrent_layer.h"
#include "ct_requantize.h"
#include <string.h>

#define ONE (1 << 15)

typedef struct layer {
    const ct_quantized_recurrent_layer_params *p;
    const int8_t *input_weight, *state_weight;
    const int32_t *input_constants, *state_constants;
    const int16_t *sigmoid;
} layer;

/* Gate `row` before its activation, in two parts. */
typedef struct gate {
    int32_t input, state;
} gate;

static int32_t product(const int8_t *x, const int8_t *weights, const int32_t *constants, uint32_t row,
                       uint32_t count)
{
    const int32_t *constant = constants + 3 * row;
    int32_t sum = constant[0];
    weights += row * count;
    for (uint32_t i = 0; i < count; i++) {
        sum += x[i] * weights[i];
    }
    return ct_requantize(sum, constant[1], constant[2]);
}

static gate gate_of(const layer *l, const int8_t *x, const int8_t *h, uint32_t row)
{
    return (gate){product(x, l->input_weight, l->input_constants, row, l->p->inputs),
                  product(h, l->state_weight, l->state_constants, row, l->p->units)};
}

static int32_t sigmoid_of(const layer *l, int32_t x)
{
    x = ct_clamp(x, INT16_MIN, INT16_MAX) - INT16_MIN;
    const int16_t *point = l->sigmoid + (x >> 8);
    return point[0] + (((point[1] - point[0]) * (x & 255) + 128) >> 8);
}

/* |x| < 2^30 */
static int32_t tanh_of(const layer *l, int32_t x)
{
    return 2 * sigmoid_of(l, 2 * x) - ONE;
}

static int32_t times(int32_t fraction, int32_t x)
{
    return (int32_t)(((int64_t)fraction * x + ONE / 2) >> 15);
}

static int32_t sum_of(gate g)
{
    return g.input + g.state;
}

static void update_cell(const layer *l, const int8_t *x, const int8_t *h, uint32_t unit, int16_t *cell)
{
    const uint32_t units = l->p->units;
    const int32_t i = sigmoid_of(l, sum_of(gate_of(l, x, h, unit)));
    const int32_t f = sigmoid_of(l, sum_of(gate_of(l, x, h, units + unit)));
    const int32_t g = tanh_of(l, sum_of(gate_of(l, x, h, 2 * units + unit)));
    const int32_t c = (f * *cell + ((i * g + 8) >> 4) + ONE / 2) >> 15;
    *cell = (int16_t)ct_clamp(c, INT16_MIN, INT16_MAX);
}

static int32_t gru_of(const layer *l, const int8_t *x, const int8_t *h, uint32_t unit)
{
    const ct_quantized_recurrent_layer_params *p = l->p;
    const int32_t r = sigmoid_of(l, sum_of(gate_of(l, x, h, unit)));
    const int32_t z = sigmoid_of(l, sum_of(gate_of(l, x, h, p->units + unit)));
    const gate candidate = gate_of(l, x, h, 2u * p->units + unit);
    const int32_t n = tanh_of(l, candidate.input + times(r, candidate.state));
    const int32_t before =
        ct_requantize(h[unit] - p->hidden_zero_point, p->hidden_multiplier, p->hidden_shift);
    return n + times(z, before - n);
}

/* The new hidden state of a unit, in steps that depend on the kind. */
static int32_t hidden_of(const layer *l, const int8_t *x, const int8_t *h, uint32_t unit, int16_t *cell)
{
    switch (l->p->kind) {
    case CT_RECURRENT_LSTM:
        update_cell(l, x, h, unit, cell);
        return sigmoid_of(l, sum_of(gate_of(l, x, h, 3u * l->p->units + unit))) * tanh_of(l, 2 * *cell);
    case CT_RECURRENT_GRU:
        return gru_of(l, x, h, unit);
    case CT_RECURRENT_TANH:
        return tanh_of(l, sum_of(gate_of(l, x, h, unit)));
    default: {
        const int32_t sum = sum_of(gate_of(l, x, h, unit));
        return sum > 0 ? sum : 0;
    }
    }
}

static int8_t output_of(const ct_quantized_recurrent_layer_params *p, int32_t value)
{
    const int32_t y = ct_requantize(value, p->output_multiplier, p->output_shift) + p->output_zero_point;
    return (int8_t)ct_clamp(y, INT8_MIN, INT8_MAX);
}

static void begin_cells(const ct_quantized_recurrent_layer_params *p, const int8_t *cell, int16_t *cells)
{
    for (uint32_t i = 0; i < p->units; i++) {
        const int32_t x = cell ? cell[i] - p->cell_zero_point : 0;
        const int32_t c = ct_requantize(x, p->cell_multiplier, p->cell_shift);
        cells[i] = (int16_t)ct_clamp(c, INT16_MIN, INT16_MAX);
    }
}

static void begin_state(const ct_quantized_recurrent_layer_params *p, const int8_t *state, int8_t *first)
{
    for (uint32_t i = 0; i < p->units; i++) {
        const int32_t x = state[i] - p->state_zero_point;
        const int32_t h = ct_requantize(x, p->state_multiplier, p->state_shift) + p->hidden_zero_point;
        first[i] = (int8_t)ct_clamp(h, INT8_MIN, INT8_MAX);
    }
}

/* One sequence. Hidden states are `row` apart; h is the first one, the new ones go to or come from `states`.
 */
static void run(const layer *l, const int8_t *input, const int8_t *h, const int8_t *known, int8_t *states,
                int16_t *cells)
{
    const ct_quantized_recurrent_layer_params *p = l->p;
    const size_t row = (size_t)p->batches * p->units;
    for (uint32_t step = 0; step < p->steps; step++) {
        const uint32_t t = p->is_backward ? p->steps - 1 - step : step;
        const int8_t *x = input + (size_t)t * p->batches * p->inputs;
        for (uint32_t unit = 0; unit < p->units; unit++) {
            if (known) {
                update_cell(l, x, h, unit, cells + unit);
            } else {
                states[t * row + unit] = output_of(p, hidden_of(l, x, h, unit, cells + unit));
            }
        }
        h = (known ? known : states) + t * row;
    }
}

ct_status ct_quantized_recurrent_layer(const ct_quantized_recurrent_layer_params *p, const int8_t *input,
                                       const int8_t *state, const int8_t *cell, const int8_t *hidden,
                                       const int8_t *input_weight, const int8_t *state_weight,
                                       const int32_t *input_constants, const int32_t *state_constants,
                                       const int16_t *sigmoid, int8_t *output, void *scratch)
{
    const layer l = {p, input_weight, state_weight, input_constants, state_constants, sigmoid};
    const size_t row = (size_t)p->batches * p->units;
    /* Where the initial state is among the hidden ones, and where the others begin. */
    const size_t first = p->is_backward ? p->steps * row : 0;
    const size_t others = state && !p->is_backward ? row : 0;
    int16_t *cells = scratch;
    int8_t *zeros = (int8_t *)(cells + p->units);
    memset(zeros, p->hidden_zero_point, p->units);
    for (uint32_t batch = 0; batch < p->batches; batch++) {
        const size_t offset = (size_t)batch * p->units;
        const int8_t *h = zeros;
        begin_cells(p, cell ? cell + offset : NULL, cells);
        if (state && !hidden) {
            begin_state(p, state + offset, output + first + offset);
        }
        if (state) {
            h = (hidden ? hidden : output) + first + offset;
        }
        run(&l, input + (size_t)batch * p->inputs, h, hidden ? hidden + others + offset : NULL,
            output + others + offset, cells);
        for (uint32_t i = 0; hidden && i < p->units; i++) {
            output[offset + i] = output_of(p, cells[i]);
        }
    }
    return CT_OK;
}
