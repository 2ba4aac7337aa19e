/* int8 LSTM, GRU or RNN over a sequence, one layer in one direction.
 *
 * Before their activation, gates are in steps of 2^-12: ct_requantize(bias + sum(x * weight)) of the input
 * plus that of the hidden state, whose zero points are folded into the biases. sigmoid, and tanh(x) as 2
 * sigmoid(2x) - 1, come from a table of 257 points that are 1/16 apart, with lines between them; beyond -8..8
 * they are what they are there. Activations are in steps of 2^-15, the cell state is int16 in steps of 2^-11
 * and saturates. The order of gates is PyTorch's.
 *
 *   LSTM   i, f, g, o:  c = f c + i g;  h = o tanh(c)
 *   GRU    r, z, n:     n = tanh(input's part + r * state's part);  h = n + z (h - n)
 *   RNN                 h = tanh(gate), or relu(gate), where gates are in steps of the caller's choice
 */
#ifndef CT_QUANTIZED_RECURRENT_LAYER_H
#define CT_QUANTIZED_RECURRENT_LAYER_H

#include "ct_status.h"
#include <stdint.h>

#define CT_RECURRENT_TANH 0
#define CT_RECURRENT_RELU 1
#define CT_RECURRENT_GRU 2
#define CT_RECURRENT_LSTM 3

/* multiplier / 2^31 * 2^shift */
typedef struct ct_quantized_recurrent_layer_params {
    int32_t state_multiplier;  /* initial state to hidden states */
    int32_t cell_multiplier;   /* initial cell state to 2^-11 */
    int32_t hidden_multiplier; /* hidden states to 2^-15, for GRU */
    int32_t output_multiplier; /* to the output: from 2^-30 (LSTM), 2^-15 (GRU, tanh), gates (relu), 2^-11
                                  (cell) */
    uint32_t steps, batches;
    uint16_t inputs, units;
    int8_t state_shift, cell_shift, hidden_shift, output_shift;
    int8_t state_zero_point, cell_zero_point, hidden_zero_point, output_zero_point;
    uint8_t kind; /* CT_RECURRENT_* */
    uint8_t is_backward;
} ct_quantized_recurrent_layer_params;

/* input: [steps, batches, inputs]. state, cell: [batches, units], or NULL for zeros. Weights: [gates * units,
 * inputs or units]; constants: (bias, multiplier, shift) of each of their rows. sigmoid: the table.
 *
 * Without hidden, output is the hidden states [steps, batches, units], after a first one (behind the last
 * one, if backward) that is the initial state, if there is one. With hidden, which are these, output is the
 * cell state in the end, [batches, units]. scratch: 3 * units bytes. */
ct_status ct_quantized_recurrent_layer(const ct_quantized_recurrent_layer_params *p, const int8_t *input,
                                       const int8_t *state, const int8_t *cell, const int8_t *hidden,
                                       const int8_t *input_weight, const int8_t *state_weight,
                                       const int32_t *input_constants, const int32_t *state_constants,
                                       const int16_t *sigmoid, int8_t *output, void *scratch);

#endif
