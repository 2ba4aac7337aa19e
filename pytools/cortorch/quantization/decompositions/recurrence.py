"""LSTMs, GRUs and RNNs as their layers, one direction at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from cortorch.quantization import functions

State = tuple[Tensor | None, Tensor | None]
"""Hidden and cell state [batches, units]; None is zero. Only LSTMs have the second."""


def layers(
    kind: int,
    input: Tensor,
    begin: Callable[[int], State],
    params: Sequence[Tensor],
    num_layers: int,
    bidirectional: bool,
    batch_first: bool,
) -> Any:
    """Outputs, and the states in the end. ``begin`` gives the initial states by number."""
    directions = 2 if bidirectional else 1
    each, odd = divmod(len(params), num_layers * directions)
    if odd or each not in (2, 4):  # states of another size have one weight more
        return NotImplemented
    x = input.transpose(0, 1) if batch_first else input
    ends: list[State] = []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            number = layer * directions + direction
            weights = [*params[number * each : number * each + each], None, None][:4]
            y, end = _direction(kind, x, begin(number), weights, bool(direction))
            outputs.append(y)
            ends.append(end)
        x = torch.cat(outputs, 2) if bidirectional else outputs[0]
    states = [torch.stack(s) for s in zip(*ends, strict=True) if s[0] is not None]
    return x.transpose(0, 1) if batch_first else x, *states


def cell(kind: int, input: Tensor, begin: State, weights: Sequence[Tensor | None]) -> Any:
    """One step: the new states."""
    _, end = _direction(kind, input.unsqueeze(0), begin, weights, False)
    return end if kind == functions.KINDS["lstm"] else end[:1]


def _direction(
    kind: int, x: Tensor, begin: State, weights: Sequence[Any], is_backward: bool
) -> tuple[Tensor, State]:
    """Hidden states [steps, batches, units] and the states in the end."""
    more = (*weights, kind, is_backward)
    hidden = functions.recurrent_layer(x, *begin, *more)
    steps = x.shape[0]
    y = hidden.narrow(0, hidden.shape[0] - steps if not is_backward else 0, steps)
    last = y.narrow(0, 0 if is_backward else steps - 1, 1).squeeze(0)
    if kind != functions.KINDS["lstm"]:
        return y, (last, None)
    return y, (last, functions.recurrent_cell_state(x, *begin, hidden, *more))
