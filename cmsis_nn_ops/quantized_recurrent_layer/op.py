"""int8 LSTM, GRU and RNN; the contract is in ``quantized_recurrent_layer.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, OpDef
from cmsis_nn_ops.quantized_recurrent_layer import arithmetic, lowering
from cmsis_nn_ops.spatial import UINT16_MAX

SCHEMA = (
    "(Tensor input, Tensor? state, Tensor? cell, Tensor? hidden, Tensor input_weight, "
    "Tensor state_weight, Tensor input_constants, Tensor state_constants, int kind, "
    "bool is_backward, int state_zero_point, int state_multiplier, int state_shift, "
    "int cell_zero_point, int cell_multiplier, int cell_shift, int hidden_zero_point, "
    "int hidden_multiplier, int hidden_shift, int output_zero_point, int output_multiplier, "
    "int output_shift, Tensor sigmoid) -> Tensor"
)


def _hidden_shape(a: Args) -> tuple[int, int, int]:
    steps, batches, _ = a.input.shape
    return steps + (a.state is not None), batches, a.state_weight.shape[1]


def fake(a: Args) -> torch.Tensor:
    shape = _hidden_shape(a)
    return a.input.new_empty(shape if a.hidden is None else shape[1:])


def reference(a: Args) -> torch.Tensor:
    hidden, cell = arithmetic.states(a, arithmetic.FIXED, a.hidden)
    y = hidden if a.hidden is None else arithmetic.output(a, arithmetic.FIXED, cell)
    return fp.saturate_int8(y)


def ideal(a: Args) -> torch.Tensor:
    """Every step in real numbers, from the hidden state that the reference has before it."""
    known = reference(a) if a.hidden is None else a.hidden
    hidden, cell = arithmetic.states(a, arithmetic.REAL, known)
    y = hidden if a.hidden is None else arithmetic.output(a, arithmetic.REAL, cell)
    return y.double().clamp(-128, 127)


def _params(a: Args) -> dict[str, Any]:
    steps, batches, inputs = a.input.shape
    names = ("state", "cell", "hidden", "output")
    return {
        "steps": steps,
        "batches": batches,
        "inputs": inputs,
        "units": a.state_weight.shape[1],
        "kind": a.kind,
        "is_backward": a.is_backward,
        **{f"{n}_{part}": getattr(a, f"{n}_{part}") for n in names for part in _QUANTIZATION},
    }


_QUANTIZATION = ("zero_point", "multiplier", "shift")


def _gates_fit(a: Args) -> bool:
    return all(
        lowering.largest_part(weight, constants) < 2**29
        for weight, constants in (
            (a.input_weight, a.input_constants),
            (a.state_weight, a.state_constants),
        )
    )


CONSTRAINTS = (
    Constraint(
        "C1",
        "input is int8 of rank 3, none of its dimensions is 0, and features fit 16 bits",
        lambda a: (
            a.input.dtype == torch.int8
            and a.input.dim() == 3
            and a.input.numel() > 0
            and a.input.shape[2] <= UINT16_MAX
        ),
    ),
    Constraint(
        "C2",
        "kind is 0..3; weights are int8 of a row for each gate of a unit; 1..65535 units",
        lambda a: (
            a.kind in arithmetic.GATES
            and a.input_weight.dtype == a.state_weight.dtype == torch.int8
            and 0 < a.state_weight.shape[1] <= UINT16_MAX
            and a.state_weight.shape[0] == arithmetic.GATES[a.kind] * a.state_weight.shape[1]
            and tuple(a.input_weight.shape) == (a.state_weight.shape[0], a.input.shape[2])
        ),
    ),
    Constraint(
        "C3",
        "constants are int32 of three numbers for each row: bias, multiplier from 0, shift -31..30",
        lambda a: all(
            t.dtype == torch.int32
            and tuple(t.shape) == (a.state_weight.shape[0], 3)
            and int(t[:, 1].min()) >= 0
            and -31 <= int(t[:, 2].min()) <= int(t[:, 2].max()) <= 30
            for t in (a.input_constants, a.state_constants)
        ),
    ),
    Constraint("C4", "no gate can leave 30 bits, whatever the input", _gates_fit),
    Constraint(
        "C5",
        "state and cell (if any) are int8 [batches, units]; hidden, of LSTMs, has as many states "
        "as there are",
        lambda a: (
            all(
                t is None or (t.dtype == torch.int8 and tuple(t.shape) == shape)
                for t, shape in (
                    (a.state, _hidden_shape(a)[1:]),
                    (a.cell, _hidden_shape(a)[1:]),
                    (a.hidden, _hidden_shape(a)),
                )
            )
            and (a.kind == arithmetic.LSTM or (a.cell is None and a.hidden is None))
        ),
    ),
    Constraint(
        "C6",
        "zero points are int8, multipliers in 0..2**31-1, shifts in -31..15",
        lambda a: all(
            -128 <= getattr(a, f"{n}_zero_point") <= 127
            and 0 <= getattr(a, f"{n}_multiplier") <= fp.INT32_MAX
            and -31 <= getattr(a, f"{n}_shift") <= 15
            for n in ("state", "cell", "hidden", "output")
        ),
    ),
    Constraint(
        "C7",
        "sigmoid is the table of that function",
        lambda a: torch.equal(a.sigmoid, arithmetic.sigmoid_table()),
    ),
)

OP = OpDef(
    name=lowering.NAME,
    schema=SCHEMA,
    summary="LSTM, GRU and RNN (tanh, relu): a layer in one direction over a whole sequence",
    fake=fake,
    reference=reference,
    ideal=ideal,
    constants=("input_weight", "state_weight", "input_constants", "state_constants", "sigmoid"),
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_quantized_recurrent_layer",
            operands=(
                *("input", "state", "cell", "hidden", "input_weight", "state_weight"),
                *("input_constants", "state_constants", "sigmoid", "out", "scratch"),
            ),
            params=_params,
            scratch_bytes=lambda a: 3 * a.state_weight.shape[1],
        ),
    ),
    patterns=lowering.PATTERNS,
    lowerings=lowering.LOWERINGS,
    macs=lambda a: (
        a.input.shape[0] * a.input.shape[1] * (a.input_weight.numel() + a.state_weight.numel())
    ),
)
