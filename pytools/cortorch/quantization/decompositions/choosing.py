"""Entries that a mask replaces, as ``where`` of two tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isinf
from typing import Any

import torch
from torch import Tensor

from cortorch.quantization.functions import reduced_rows


def masked_fill(self: Tensor, mask: Tensor, value: float | Tensor) -> Any:
    """Infinities stay: they are masks of a softmax, or an error that names this call."""
    if isinstance(value, Tensor):
        return torch.where(mask, value.to(self.dtype), self)
    return NotImplemented if isinf(value) else torch.where(mask, _number(value, self), self)


def put_where(
    self: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool
) -> Any:
    """``x[mask] = 1.0``; by other indices the operator for them works."""
    (mask, *others), one = indices, values.numel() == 1
    if mask is None or mask.dtype != torch.bool or others or accumulate or not one:
        return NotImplemented
    mask = mask.reshape([*mask.shape, *[1] * (self.dim() - mask.dim())])
    return torch.where(mask, values.reshape(()), self)


def bags(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Tensor | None,
    include_last_offset: bool,
    padding_idx: int | None = None,
) -> Any:
    if per_sample_weights is not None:
        return NotImplemented
    padding = -1 if padding_idx is None else padding_idx
    return reduced_rows(weight, indices, offsets, mode, include_last_offset, padding)


def where_number(condition: Tensor, self: Any, other: Any) -> Any:
    """``self`` or ``other`` is a number."""
    tensors = [x for x in (self, other) if isinstance(x, Tensor)]
    if not tensors or not tensors[0].is_floating_point():
        return NotImplemented
    self, other = (x if isinstance(x, Tensor) else _number(x, tensors[0]) for x in (self, other))
    return torch.where(condition, self, other)


def _number(value: float, like: Tensor) -> Tensor:
    return torch.full((), value, dtype=like.dtype, device="cpu")


TABLE: dict[str, Callable[..., Any]] = {
    "aten.embedding_bag.default": bags,
    "aten.embedding_bag.padding_idx": bags,
    "aten.index_put.default": put_where,
    "aten.masked_fill.Scalar": masked_fill,
    "aten.masked_fill.Tensor": masked_fill,
    "aten.where.ScalarOther": where_number,
    "aten.where.ScalarSelf": where_number,
}
