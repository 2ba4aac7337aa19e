"""Norms of vectors and logarithms of sums of exponentials, from sums and functions of a number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


def vector_norm(
    self: Tensor, ord: float, dim: Sequence[int] | None, keepdim: bool, *, dtype: Any
) -> Any:
    if self.dim() == 0 or dtype not in (None, self.dtype):
        return NotImplemented
    dims = list(dim or range(self.dim()))
    if ord == 2:
        return torch.sqrt(torch.sum(torch.square(self), dims, keepdim))
    if ord == 1:
        return torch.sum(torch.abs(self), dims, keepdim)
    if abs(ord) == math.inf:
        return (torch.amax if ord > 0 else torch.amin)(torch.abs(self), dims, keepdim)
    return NotImplemented


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int, eps: float) -> Tensor:
    """Vectors of length one first, so that products do not need the range of all lengths."""
    x1, x2 = torch.broadcast_tensors(x1, x2)
    return torch.sum(_unit(x1, dim, eps) * _unit(x2, dim, eps), [dim])


def _unit(x: Tensor, dim: int, eps: float) -> Tensor:
    length = torch.sqrt(torch.sum(torch.square(x), [dim], True))
    return x / torch.clamp(length, min=eps)


def log_softmax(self: Tensor, dim: int, *_: Any, **__: Any) -> Tensor:
    """The largest entry becomes 0, so that no exponential exceeds 1."""
    x = self - torch.amax(self, [dim], True)
    return x - torch.log(torch.sum(torch.exp(x), [dim], True))


def logsumexp(self: Tensor, dim: Sequence[int], keepdim: bool) -> Any:
    if self.dim() == 0 or not self.is_floating_point():
        return NotImplemented
    largest = torch.amax(self, dim, True)
    total = torch.sum(torch.exp(self - largest), dim, keepdim)
    return torch.log(total) + largest.reshape(total.shape)


TABLE: dict[str, Callable[..., Any]] = {
    "aten.linalg_vector_norm.default": vector_norm,
    "aten.cosine_similarity.default": cosine_similarity,
    "aten.log_softmax.int": log_softmax,
    "aten._log_softmax.default": log_softmax,
    "aten.logsumexp.default": logsumexp,
}
