"""Test inputs of recurrent layers."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.fixed_point import quantize_multiplier
from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.quantized_recurrent_layer.arithmetic import (
    GATES,
    GRU,
    LSTM,
    OUTPUT_BITS,
    RELU,
    TANH,
    sigmoid_table,
)
from cmsis_nn_ops.testdata import int8

_OUTPUT_STEP = 2.0**-7


def _layer(
    kind: int, shape: tuple[int, int, int], units: int, given: str = "", /, **overrides: Any
) -> Any:
    """``shape`` is [steps, batches, inputs]; ``given`` names the tensors that are not None."""

    def make(g: torch.Generator) -> dict[str, Any]:
        steps, batches, inputs = shape
        rows = GATES[kind] * units
        state = (batches, units)
        hidden = (steps + ("state" in given), *state)
        states: dict[str, tuple[int, ...]] = {"state": state, "cell": state, "hidden": hidden}
        bits = 11 if "hidden" in given else OUTPUT_BITS.get(kind, 15)
        args = {
            "input": int8(g, shape),
            **{n: int8(g, s) if n in given else None for n, s in states.items()},
            "input_weight": int8(g, (rows, inputs)),
            "state_weight": int8(g, (rows, units)),
            "input_constants": _constants(g, rows, inputs),
            "state_constants": _constants(g, rows, units),
            "kind": kind,
            "is_backward": False,
            **_quantization("state", 3, 0.6),
            **_quantization("cell", -20, 30.0),
            **_quantization("hidden", 4, _OUTPUT_STEP * 2.0**15),
            **_quantization("output", 4, 2.0**-bits / _OUTPUT_STEP),
            "sigmoid": sigmoid_table(),
        }
        return {**args, **overrides}

    return make


def _quantization(name: str, zero_point: int, factor: float) -> dict[str, int]:
    multiplier, shift = quantize_multiplier(factor)
    return {
        f"{name}_zero_point": zero_point,
        f"{name}_multiplier": multiplier,
        f"{name}_shift": shift,
    }


def _constants(g: torch.Generator, rows: int, taps: int) -> torch.Tensor:
    """Gates between about -3 and 3."""
    bias = torch.randint(-5000, 5000, (rows,), generator=g)
    reals = (torch.rand(rows, generator=g) + 0.3) * 4096 * 1.5 / (74 * 74 * taps**0.5)
    pairs = [torch.tensor(quantize_multiplier(float(r))) for r in reals]
    return torch.cat([bias.unsqueeze(1), torch.stack(pairs)], 1).to(torch.int32)


def _rows(rows: int, bias: int, multiplier: int, shift: int) -> torch.Tensor:
    return torch.tensor([[bias, multiplier, shift]] * rows, dtype=torch.int32)


def _saturated(rows: int) -> dict[str, torch.Tensor]:
    """Every gate far outside of the table, on one side or the other."""
    constants = _rows(rows, 10**6, 2**30, 1)
    constants[::2, 0] *= -1
    return {"input_constants": constants}


CASES = [
    Case("lstm", _layer(LSTM, (5, 2, 7), 6)),
    Case("lstm_backward", _layer(LSTM, (4, 3, 5), 4, is_backward=True)),
    Case("lstm_states", _layer(LSTM, (4, 2, 5), 3, "state cell")),
    Case("lstm_states_backward", _layer(LSTM, (3, 2, 5), 3, "state cell", is_backward=True)),
    Case("lstm_long", _layer(LSTM, (60, 1, 9), 10)),
    Case("lstm_saturated", _layer(LSTM, (40, 1, 3), 4, **_saturated(16))),
    Case("cell_state", _layer(LSTM, (4, 2, 5), 3, "hidden")),
    Case("cell_state_given", _layer(LSTM, (4, 2, 5), 3, "state cell hidden")),
    Case(
        "cell_state_given_backward",
        _layer(LSTM, (4, 2, 5), 3, "state cell hidden", is_backward=True),
    ),
    Case("gru", _layer(GRU, (6, 2, 7), 5)),
    Case("gru_state_backward", _layer(GRU, (4, 2, 3), 5, "state", is_backward=True)),
    Case("gru_large_state", _layer(GRU, (4, 1, 3), 5, "state", **_quantization("hidden", 4, 9e3))),
    Case("tanh", _layer(TANH, (6, 2, 7), 5, "state")),
    Case("relu", _layer(RELU, (6, 2, 7), 5)),
    Case("one_of_each", _layer(LSTM, (1, 1, 1), 1)),
    Case("C1", _layer(TANH, (0, 2, 7), 5), rejects="C1"),
    Case("C2", _layer(TANH, (2, 2, 7), 5, kind=GRU), rejects="C2"),
    Case("C3", _layer(TANH, (2, 2, 7), 5, input_constants=_rows(5, 0, 0, -32)), rejects="C3"),
    Case("C4", _layer(TANH, (2, 2, 7), 5, input_constants=_rows(5, 2**29, 2**30, 1)), rejects="C4"),
    Case("C5", _layer(TANH, (2, 2, 7), 5, "cell"), rejects="C5"),
    Case("C6", _layer(TANH, (2, 2, 7), 5, cell_shift=16), rejects="C6"),
    Case("C7", _layer(TANH, (2, 2, 7), 5, sigmoid=sigmoid_table() + 1), rejects="C7"),
]
