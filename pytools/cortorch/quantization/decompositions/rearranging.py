"""Rearrangements that are slices put together anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


def flip(self: Tensor, dims: Sequence[int]) -> Tensor:
    y = self
    for dim in dims:
        y = _reversed(y, dim)
    return y


def pad(self: Tensor, pad: Sequence[int], mode: str, value: float | None) -> Any:
    """``pad`` counts from the last dimension on, two numbers each."""
    if mode not in _BORDERS or any(p < 0 for p in pad):
        return NotImplemented
    y = self
    for number, (before, after) in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        if before or after:
            dim = self.dim() - 1 - number
            first, last = _BORDERS[mode](y, dim, before, after)
            y = torch.cat([*first, y, *last], dim)
    return y


Borders = tuple[list[Tensor], list[Tensor]]


def _reflect(x: Tensor, dim: int, before: int, after: int) -> Borders:
    length = x.shape[dim]
    first = [_reversed(x.narrow(dim, 1, before), dim)] if before else []
    return first, [_reversed(x.narrow(dim, length - 1 - after, after), dim)] if after else []


def _replicate(x: Tensor, dim: int, before: int, after: int) -> Borders:
    return [x.narrow(dim, 0, 1)] * before, [x.narrow(dim, x.shape[dim] - 1, 1)] * after


def _circular(x: Tensor, dim: int, before: int, after: int) -> Borders:
    first = [x.narrow(dim, x.shape[dim] - before, before)] if before else []
    return first, [x.narrow(dim, 0, after)] if after else []


_BORDERS: dict[str, Callable[[Tensor, int, int, int], Borders]] = {
    "reflect": _reflect,
    "replicate": _replicate,
    "circular": _circular,
}


def _reversed(x: Tensor, dim: int) -> Tensor:
    if x.shape[dim] < 2:
        return x
    return torch.cat([x.narrow(dim, i, 1) for i in reversed(range(x.shape[dim]))], dim)


TABLE: dict[str, Callable[..., Any]] = {"aten.flip.default": flip, "aten.pad.default": pad}
