"""Functions that PyTorch does not have, for rewrites of captured graphs to call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

NAMESPACE = "cortorch"

_library = torch.library.Library(NAMESPACE, "DEF")


def _softmax_with_mask(self: torch.Tensor, mask: torch.Tensor, dim: int) -> torch.Tensor:
    """Softmax of the entries where ``mask`` is False. The others are 0; also where none is left."""
    masked = torch.softmax(self.masked_fill(mask, -math.inf), dim)
    return masked.masked_fill(mask, 0.0)


def _sorted_indices(
    self: torch.Tensor, dim: int, descending: bool, first: int, count: int
) -> torch.Tensor:
    """Where the entries stand that sorting puts in places ``first`` .. ``first + count - 1``; equal
    ones stay in order."""
    indices = torch.sort(self, dim=dim, descending=descending, stable=True).indices
    return indices.narrow(dim, first, count).clone()


_STATES = "Tensor input, Tensor? state, Tensor? cell"
_WEIGHTS = (
    "Tensor input_weight, Tensor state_weight, Tensor? input_bias, Tensor? state_bias, int kind, "
    "bool is_backward"
)

KINDS = {"rnn_tanh": 0, "rnn_relu": 1, "gru": 2, "lstm": 3}
"""What ``kind`` stands for."""
_CALLS: tuple[Any, ...] = (torch.rnn_tanh, torch.rnn_relu, torch.gru, torch.lstm)


def _recurrent(
    input: torch.Tensor,
    state: torch.Tensor | None,
    cell: torch.Tensor | None,
    input_weight: torch.Tensor,
    state_weight: torch.Tensor,
    input_bias: torch.Tensor | None,
    state_bias: torch.Tensor | None,
    kind: int,
    is_backward: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Hidden states [steps, batches, units] with the initial one, if any, and the last cell state;
    ``input`` is [steps, batches, inputs]."""
    zeros = input.new_zeros(1, input.shape[1], state_weight.shape[1])
    h, c = (zeros if s is None else s.unsqueeze(0) for s in (state, cell))
    weights = [w for w in (input_weight, state_weight, input_bias, state_bias) if w is not None]
    x = input.flip(0) if is_backward else input
    more = (weights, input_bias is not None, 1, 0.0, False, False, False)
    y, *ends = _CALLS[kind](x, [h, c] if kind == KINDS["lstm"] else h, *more)
    y = y if state is None else torch.cat([h, y])
    return y.flip(0) if is_backward else y, ends[-1][0]


def _recurrent_cell_state(
    input: torch.Tensor,
    state: torch.Tensor | None,
    cell: torch.Tensor | None,
    hidden: torch.Tensor,
    *more: Any,
) -> torch.Tensor:
    """The cell state in the end; ``hidden`` is what ``recurrent_layer`` gives."""
    return _recurrent(input, state, cell, *more)[1].clone()


def _recurrent_layer(*arguments: Any) -> torch.Tensor:
    return _recurrent(*arguments)[0].clone()


def _reduced_rows(
    weight: torch.Tensor,
    indices: torch.Tensor,
    offsets: torch.Tensor,
    mode: int,
    include_last_offset: bool,
    padding_index: int,
) -> torch.Tensor:
    """Sums (0), means (1) or maxima (2) of rows, as ``torch.nn.functional.embedding_bag``."""
    return torch.nn.functional.embedding_bag(
        indices,
        weight,
        offsets,
        mode=("sum", "mean", "max")[mode],
        include_last_offset=include_last_offset,
        padding_idx=None if padding_index < 0 else padding_index,
    )


def _define(schema: str, function: Callable[..., torch.Tensor]) -> Any:
    name = schema.split("(")[0]
    _library.define(schema)
    _library.impl(name, function, "CompositeExplicitAutograd")
    return getattr(getattr(torch.ops, NAMESPACE), name).default


softmax_with_mask = _define(
    "softmax_with_mask(Tensor self, Tensor mask, int dim) -> Tensor", _softmax_with_mask
)
sorted_indices = _define(
    "sorted_indices(Tensor self, int dim, bool descending, int first, int count) -> Tensor",
    _sorted_indices,
)
recurrent_layer = _define(f"recurrent_layer({_STATES}, {_WEIGHTS}) -> Tensor", _recurrent_layer)
recurrent_cell_state = _define(
    f"recurrent_cell_state({_STATES}, Tensor hidden, {_WEIGHTS}) -> Tensor", _recurrent_cell_state
)
reduced_rows = _define(
    "reduced_rows(Tensor weight, Tensor indices, Tensor offsets, int mode, "
    "bool include_last_offset, int padding_index) -> Tensor",
    _reduced_rows,
)
