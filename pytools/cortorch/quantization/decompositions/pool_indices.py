"""Max pools whose indices are used, too: every window laid out as a row, and its largest entry.

That takes as many copies of the input as windows overlap, so nothing but indices is made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from cortorch.quantization.decompositions import pooling

Places = Callable[[int, int], Tensor]
"""From length and number of windows to [windows, entries]: which entries each window has. An entry
may come again, but not in front of an earlier one."""


def _range(stop: int) -> Tensor:
    return torch.arange(stop, device="cpu")


def _adaptive(length: int, count: int) -> Tensor:
    """From floor(i L / count) to ceil((i + 1) L / count)."""
    window = _range(count)
    first = window * length // count
    last = ((window + 1) * length + count - 1) // count - 1
    widest = max(-(-(i + 1) * length // count) - i * length // count for i in range(count))
    return torch.minimum(first.unsqueeze(1) + _range(widest), last.unsqueeze(1))


def _sliding(size: int, stride: int, padding: int) -> Places:
    """What is outside the input becomes the window's first or last entry."""

    def places(length: int, count: int) -> Tensor:
        window = (_range(count) * stride - padding).unsqueeze(1) + _range(size)
        return torch.clamp(window, 0, length - 1)

    return places


def _indices(x: Tensor, counts: Sequence[int], places: Sequence[Places]) -> Tensor:
    """Of the largest entry of each window, in the flat plane or volume of the last dimensions."""
    sizes = x.shape[-len(counts) :]
    flat = torch.zeros((1, 1), dtype=torch.int64, device="cpu")
    for size, count, where in zip(sizes, counts, places, strict=True):
        here = where(size, count)
        grid = flat[:, None, :, None] * size + here[None, :, None, :]
        flat = grid.reshape(flat.shape[0] * count, flat.shape[1] * here.shape[1])
    windows, entries = flat.shape
    rows = x.reshape(-1, prod(sizes)).index_select(1, flat.reshape(-1))
    largest = torch.argmax(rows.reshape(-1, windows, entries), -1)
    at = (largest + _range(windows) * entries).reshape(-1)
    return flat.reshape(-1).index_select(0, at).reshape(*x.shape[: -len(counts)], *counts)


def _adaptive_pool(pool: Callable[..., Tensor], dims: int) -> Callable[..., Any]:
    def with_indices(self: Tensor, output_size: Sequence[int]) -> Any:
        counts = list(output_size) * (dims // len(output_size))
        return pool(self, output_size), lambda: _indices(self, counts, [_adaptive] * dims)

    return with_indices


def _sliding_pool(pool: Callable[..., Tensor], dims: int) -> Callable[..., Any]:
    def with_indices(
        self: Tensor,
        kernel_size: Sequence[int],
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
        ceil_mode: bool,
    ) -> Any:
        values = pool(self, kernel_size, stride or kernel_size, padding, dilation, ceil_mode)
        if any(d != 1 for d in dilation):
            return values
        each = (list(v) * (dims // len(v)) for v in (kernel_size, stride or kernel_size, padding))
        places = [_sliding(*window) for window in zip(*each, strict=True)]
        return values, lambda: _indices(self, values.shape[-dims:], places)

    return with_indices


TABLE: dict[str, Callable[..., Any]] = {
    "aten.adaptive_max_pool1d.default": _adaptive_pool(pooling.adaptive_max_pool1d, 1),
    "aten.adaptive_max_pool2d.default": _adaptive_pool(pooling.adaptive_max_pool2d, 2),
    "aten.adaptive_max_pool3d.default": _adaptive_pool(pooling.adaptive_max_pool3d, 3),
    "aten.max_pool1d_with_indices.default": _sliding_pool(F.max_pool1d, 1),
    "aten.max_pool2d_with_indices.default": _sliding_pool(F.max_pool2d, 2),
    "aten.max_pool3d_with_indices.default": _sliding_pool(pooling.max_pool3d, 3),
}
