"""Sums, means and moments over any dimensions, as averages over one window.

The reduced dimensions become the height of an image, whose channels are the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def mean_dim(self: Tensor, dim: Sequence[int] | None, keepdim: bool, *, dtype: Any) -> Any:
    """Dimensions that are neighbours reduce as they stand."""
    if dtype == self.dtype:
        return torch.mean(self, _dims(self, dim), keepdim)
    if _other_type(self, dtype) or _are_neighbours(dims := _dims(self, dim)):
        return NotImplemented
    y = torch.mean(_in_front(self, dims), list(range(len(dims))))
    return _shaped(y, self, dims, keepdim)


def sum_dim(self: Tensor, dim: Sequence[int] | None, keepdim: bool, *, dtype: Any) -> Any:
    if _other_type(self, dtype):
        return NotImplemented
    dims = _dims(self, dim)
    if self.dim() == 4 and dims == [2, 3]:  # in the layout of images
        y = F.avg_pool2d(self, self.shape[2:], divisor_override=1)
    else:
        y = F.avg_pool2d(*_column(self, dims), divisor_override=1).permute(0, 2, 3, 1)
    return _shaped(y, self, dims, keepdim)


def sum_all(self: Tensor, *, dtype: Any) -> Any:
    return sum_dim(self, None, False, dtype=dtype)


def var(self: Tensor, dim: Sequence[int] | None, correction: float | None, keepdim: bool) -> Any:
    """The deviations are int8 before they are squared."""
    if self.dim() == 0:
        return NotImplemented
    dims = _dims(self, dim)
    count = prod(self.shape[d] for d in dims)
    free = count - (1 if correction is None else correction)
    if free <= 0:
        return NotImplemented
    deviation = self - torch.mean(self, dims, keepdim=True)
    return torch.mean(torch.square(deviation), dims, keepdim) * (count / free)


def var_dim(self: Tensor, dim: Sequence[int] | None, unbiased: bool, keepdim: bool) -> Any:
    return var(self, dim, float(unbiased), keepdim)


def var_all(self: Tensor, unbiased: bool) -> Any:
    return var(self, None, float(unbiased), False)


def _root_of(variance: Callable[..., Any]) -> Callable[..., Any]:
    def deviation(**arguments: Any) -> Any:
        y = variance(**arguments)
        return y if y is NotImplemented else torch.sqrt(y)

    return deviation


def _with_mean(spread: Callable[..., Any]) -> Callable[..., Any]:
    """``var_mean`` and ``std_mean``."""

    def both(**a: Any) -> Any:
        y = spread(**a)
        x = a["self"]
        return y if y is NotImplemented else (y, torch.mean(x, _dims(x, a["dim"]), a["keepdim"]))

    return both


def cumsum(self: Tensor, dim: int, *, dtype: Any) -> Any:
    """A product with a triangle of ones."""
    if _other_type(self, dtype):
        return NotImplemented
    length = self.shape[dim]
    triangle = torch.ones(length, length, device="cpu").tril()
    return F.linear(self.transpose(dim, -1), triangle).transpose(dim, -1)


def _other_type(x: Tensor, dtype: torch.dtype | None) -> bool:
    return not x.is_floating_point() or x.dim() == 0 or dtype not in (None, x.dtype)


def _dims(x: Tensor, dim: Sequence[int] | None) -> list[int]:
    """None and an empty list mean all."""
    return sorted(d % x.dim() for d in dim or []) or list(range(x.dim()))


def _are_neighbours(dims: Sequence[int]) -> bool:
    return list(dims) == list(range(dims[0], dims[-1] + 1))


def _column(x: Tensor, dims: Sequence[int]) -> tuple[Tensor, list[int]]:
    """An image of width 1 and the window that covers it."""
    together = _are_neighbours(dims)
    outer = prod(x.shape[: dims[0]]) if together else 1
    length = prod(x.shape[d] for d in dims)
    image = (x if together else _in_front(x, dims)).reshape(outer, length, 1, -1)
    return image.permute(0, 3, 1, 2), [length, 1]


def _in_front(x: Tensor, dims: Sequence[int]) -> Tensor:
    return x.permute(*dims, *(d for d in range(x.dim()) if d not in dims))


def _shaped(y: Tensor, source: Tensor, dims: Sequence[int], keepdim: bool) -> Tensor:
    sizes = enumerate(source.shape)
    return y.reshape([1 if d in dims else n for d, n in sizes if keepdim or d not in dims])


TABLE: dict[str, Callable[..., Any]] = {
    "aten.mean.dim": mean_dim,
    "aten.sum.default": sum_all,
    "aten.sum.dim_IntList": sum_dim,
    "aten.var.default": var_all,
    "aten.var.dim": var_dim,
    "aten.var.correction": var,
    "aten.std.default": _root_of(var_all),
    "aten.std.dim": _root_of(var_dim),
    "aten.std.correction": _root_of(var),
    "aten.var_mean.correction": _with_mean(var),
    "aten.var_mean.dim": _with_mean(var_dim),
    "aten.std_mean.correction": _with_mean(_root_of(var)),
    "aten.std_mean.dim": _with_mean(_root_of(var_dim)),
    "aten.cumsum.default": cumsum,
}
