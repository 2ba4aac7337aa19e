"""Largest and smallest values along dimensions, as pools whose window is the whole dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from cortorch.quantization.decompositions.sorting import picked


def amax(self: Tensor, dim: Sequence[int], keepdim: bool) -> Any:
    """No dimension means all of them."""
    if not self.is_floating_point():
        return NotImplemented
    if self.dim() == 0:
        return self.clone()
    dims = sorted(d % self.dim() for d in dim) or list(range(self.dim()))
    shape = [1 if d in dims else n for d, n in enumerate(self.shape)]
    y = self
    for first, last in _blocks(dims):
        y = _max_along(y, first, last)
    return y.reshape(shape if keepdim else [n for d, n in enumerate(shape) if d not in dims])


def amin(self: Tensor, dim: Sequence[int], keepdim: bool) -> Any:
    result = amax(-self, dim, keepdim)
    return result if result is NotImplemented else -result


def max_dim(self: Tensor, dim: int, keepdim: bool) -> Any:
    if not self.is_floating_point():
        return picked(self, dim, keepdim, torch.argmax(self, dim, keepdim=True))
    return amax(self, [dim], keepdim), torch.argmax(self, dim, keepdim)


def min_dim(self: Tensor, dim: int, keepdim: bool) -> Any:
    if not self.is_floating_point():
        return picked(self, dim, keepdim, torch.argmin(self, dim, keepdim=True))
    return amin(self, [dim], keepdim), torch.argmin(self, dim, keepdim)


def max_all(self: Tensor) -> Any:
    return amax(self, [], False)


def min_all(self: Tensor) -> Any:
    return amin(self, [], False)


def _blocks(dims: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of neighbours."""
    blocks: list[tuple[int, int]] = []
    for d in dims:
        if blocks and blocks[-1][1] == d - 1:
            blocks[-1] = (blocks[-1][0], d)
        else:
            blocks.append((d, d))
    return blocks


def _max_along(x: Tensor, first: int, last: int) -> Tensor:
    """Reduces ``first`` .. ``last`` to 1, as an image whose height they are and whose channels are
    what follows: in memory that is the tensor as it stands."""
    outer, length, inner = (
        prod(x.shape[:first]),
        prod(x.shape[first : last + 1]),
        prod(x.shape[last + 1 :]),
    )
    image = x.reshape(outer, length, 1, inner).permute(0, 3, 1, 2)
    y = F.max_pool2d(image, (length, 1)).permute(0, 2, 3, 1)
    ones = [1] * (last - first + 1)
    return y.reshape([*x.shape[:first], *ones, *x.shape[last + 1 :]])


TABLE: dict[str, Callable[..., Any]] = {
    "aten.amax.default": amax,
    "aten.amin.default": amin,
    "aten.max.default": max_all,
    "aten.max.dim": max_dim,
    "aten.min.default": min_all,
    "aten.min.dim": min_dim,
}
