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
