"""What the kernel computes, in integers and in real numbers; the formats are in the header."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args
from cortorch.quantization.functions import KINDS

TANH, RELU, GRU, LSTM = KINDS.values()
GATES = {TANH: 1, RELU: 1, GRU: 3, LSTM: 4}

GATE_BITS = 12
ACTIVATION_BITS = 15
CELL_BITS = 11
OUTPUT_BITS = {TANH: 15, GRU: 15, LSTM: 30}
"""Of a hidden state before it becomes int8; for relu those of its gate."""

ONE = 1 << ACTIVATION_BITS


def sigmoid_table() -> Tensor:
    """sigmoid(x) for x = -8, -8 + 1/16, ... 8, in Q0.15."""
    x = torch.arange(257, dtype=torch.float64) / 16 - 8
    return (torch.sigmoid(x) * ONE).round().to(torch.int16)


@dataclass(frozen=True)
class Arithmetic:
    """One of two: fixed point, or real numbers in the same units."""

    parts: Callable[[Tensor, Tensor, Tensor], Tensor]
    sigmoid: Callable[[Tensor], Tensor]
    tanh: Callable[[Tensor], Tensor]
    shift: Callable[[Tensor, int], Tensor]
    """Divides by a power of two."""
    scaled: Callable[[Tensor, int, int], Tensor]
    """Times multiplier / 2**31 * 2**shift."""

    def hidden(self, a: Args, x: Tensor, h: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """[batches, units] of one step, in 2**-OUTPUT_BITS, and the new cell state."""
        inputs = self.parts(x, a.input_weight, a.input_constants).chunk(GATES[a.kind], 1)
        states = self.parts(h, a.state_weight, a.state_constants).chunk(GATES[a.kind], 1)
        sums = [x + y for x, y in zip(inputs, states, strict=True)]
        if a.kind == LSTM:
            i, f, g, o = *map(self.sigmoid, sums[:2]), self.tanh(sums[2]), self.sigmoid(sums[3])
            cell = self.shift(f * cell + self.shift(i * g, 4), ACTIVATION_BITS)
            cell = cell.clamp(-(2**15), 2**15 - 1)
            return o * self.tanh(2 * cell), cell
        if a.kind == GRU:
            r, z = map(self.sigmoid, sums[:2])
            n = self.tanh(inputs[2] + self.shift(r * states[2], ACTIVATION_BITS))
            before = self.scaled(h - a.hidden_zero_point, a.hidden_multiplier, a.hidden_shift)
            return n + self.shift(z * (before - n), ACTIVATION_BITS), cell
        return (torch.relu if a.kind == RELU else self.tanh)(sums[0]), cell


def _products(x: Tensor, weight: Tensor, constants: Tensor) -> Tensor:
    """Exact in float64: |sum| < 2**53."""
    return (x.double() @ weight.double().t()).to(torch.int64) + constants[:, 0]


def _fixed_sigmoid(x: Tensor) -> Tensor:
    table = sigmoid_table().to(torch.int64)
    x = x.clamp(-(2**15), 2**15 - 1) + 2**15
    low, high = table[x >> 8], table[(x >> 8) + 1]
    return low + ((high - low) * (x & 255) + 128 >> 8)


FIXED = Arithmetic(
    parts=lambda x, w, c: fp.requantize(_products(x, w, c), c[:, 1], c[:, 2]),
    sigmoid=_fixed_sigmoid,
    tanh=lambda x: 2 * _fixed_sigmoid(2 * x) - ONE,
    shift=lambda x, bits: x + (1 << bits - 1) >> bits,
    scaled=fp.requantize,
)


def _real_parts(x: Tensor, weight: Tensor, constants: Tensor) -> Tensor:
    return _products(x, weight, constants) * (constants[:, 1] * 2.0 ** (constants[:, 2] - 31.0))


REAL = Arithmetic(
    parts=_real_parts,
    sigmoid=lambda x: torch.sigmoid((x * 2.0**-GATE_BITS).clamp(-8, 8)) * ONE,
    tanh=lambda x: torch.tanh((x * 2.0**-GATE_BITS).clamp(-4, 4)) * ONE,
    shift=lambda x, bits: x * 2.0**-bits,
    scaled=lambda x, multiplier, shift: x.double() * (multiplier * 2.0 ** (shift - 31)),
)


def states(a: Args, arithmetic: Arithmetic, known: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Hidden states [steps (+ 1), batches, units], not rounded to int8, and the last cell state.

    Each step starts from the int8 hidden state before it: its own, or that of ``known``.
    """
    shape = (a.input.shape[1], a.state_weight.shape[1])
    h = torch.full(shape, a.hidden_zero_point)
    cell = torch.zeros(shape, dtype=torch.int64)
    made = []
    if a.cell is not None:
        x = a.cell.to(torch.int64) - a.cell_zero_point
        cell = arithmetic.scaled(x, a.cell_multiplier, a.cell_shift).clamp(-(2**15), 2**15 - 1)
    if a.state is not None:
        x = a.state.to(torch.int64) - a.state_zero_point
        first = arithmetic.scaled(x, a.state_multiplier, a.state_shift) + a.hidden_zero_point
        made.append(first)
        h = _int8(first) if known is None else _row(a, known, 0)
    for step in range(a.input.shape[0]):
        x = a.input[-1 - step if a.is_backward else step].to(torch.int64)
        y, cell = arithmetic.hidden(a, x, h, cell)
        made.append(output(a, arithmetic, y))
        h = _int8(made[-1]) if known is None else _row(a, known, len(made) - 1)
    return torch.stack(made[::-1] if a.is_backward else made), cell


def _row(a: Args, known: Tensor, number: int) -> Tensor:
    return known[-1 - number if a.is_backward else number].to(torch.int64)


def _int8(x: Tensor) -> Tensor:
    return x.clamp(-128, 127)


def output(a: Args, arithmetic: Arithmetic, value: Any) -> Tensor:
    return arithmetic.scaled(value, a.output_multiplier, a.output_shift) + a.output_zero_point
