"""Sorting and its like as indices in order, and what stands there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from cortorch.quantization.functions import sorted_indices


def picked(self: Tensor, dim: int, keepdim: bool, indices: Tensor) -> tuple[Tensor, Tensor]:
    """(values, indices) of one entry along ``dim``."""
    if self.dim() == 0:
        return self.clone(), indices
    values = torch.gather(self, dim, indices)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


def kth_value(self: Tensor, k: int, dim: int, keepdim: bool) -> Any:
    """``k`` counts from 1."""
    if self.dim() == 0:
        return NotImplemented
    return picked(self, dim, keepdim, sorted_indices(self, dim, False, k - 1, 1))


def median(self: Tensor) -> Any:
    if self.dim() == 0:
        return self.clone()
    return median_dim(self.flatten(), 0, False)[0]


def median_dim(self: Tensor, dim: int, keepdim: bool) -> Any:
    """The lower one of two."""
    return kth_value(self, (self.shape[dim] + 1) // 2 if self.dim() else 1, dim, keepdim)


def sort(self: Tensor, dim: int, descending: bool, stable: bool | None = None) -> Any:
    indices = argsort(self, dim, descending, stable)
    return indices if indices is NotImplemented else (torch.gather(self, dim, indices), indices)


def argsort(self: Tensor, dim: int, descending: bool, stable: bool | None = None) -> Any:
    if self.dim() == 0:
        return NotImplemented
    return sorted_indices(self, dim, descending, 0, self.shape[dim])


def top_k(self: Tensor, k: int, dim: int, largest: bool, sorted: bool) -> Any:
    """In order, whether or not that is asked for."""
    if self.dim() == 0 or k == 0:
        return NotImplemented
    indices = sorted_indices(self, dim, largest, 0, k)
    return torch.gather(self, dim, indices), indices


TABLE: dict[str, Callable[..., Any]] = {
    "aten.argsort.default": argsort,
    "aten.argsort.stable": argsort,
    "aten.kthvalue.default": kth_value,
    "aten.median.default": median,
    "aten.median.dim": median_dim,
    "aten.sort.default": sort,
    "aten.sort.stable": sort,
    "aten.topk.default": top_k,
}
