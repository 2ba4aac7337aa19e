"""Pools of three dimensions and adaptive ones, as plain pools of two.

Volumes are pooled within their planes, then across them; with channels last in between, which is
how they will be stored. Maxima are exact; a mean of means is rounded twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

Pool = Callable[[Tensor], Tensor]


def max_pool3d(
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> Tensor:
    """[N,C,D,H,W]."""
    size, step, pad, gap = map(_triple, (kernel_size, stride or kernel_size, padding, dilation))
    return _volume_pool(
        self,
        lambda x: F.max_pool2d(x, size[1:], step[1:], pad[1:], gap[1:], ceil_mode),
        lambda x: F.max_pool2d(x, (size[0], 1), (step[0], 1), (pad[0], 0), (gap[0], 1), ceil_mode),
    )


def avg_pool3d(
    self: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    """[N,C,D,H,W]; the number of values in a window is a product, too."""
    if divisor_override is not None:
        return NotImplemented
    size, step, pad = map(_triple, (kernel_size, stride or kernel_size, padding))
    how = ceil_mode, count_include_pad
    return _volume_pool(
        self,
        lambda x: F.avg_pool2d(x, size[1:], step[1:], pad[1:], *how),
        lambda x: F.avg_pool2d(x, (size[0], 1), (step[0], 1), (pad[0], 0), *how),
    )


def adaptive_avg_pool1d(self: Tensor, output_size: Sequence[int]) -> Any:
    """[N,C,L]."""
    return F.adaptive_avg_pool2d(self.unsqueeze(2), (1, *output_size)).squeeze(2)


def adaptive_avg_pool2d(self: Tensor, output_size: Sequence[int]) -> Tensor:
    """[N,C,H,W] or [C,H,W]. Windows of unequal size are rows of a matrix, one matrix for each
    direction."""
    height, width = list(output_size) * (2 // len(output_size))
    if self.shape[-2] % height == self.shape[-1] % width == 0:
        return F.avg_pool2d(self, (self.shape[-2] // height, self.shape[-1] // width))
    y = F.linear(self, _means(self.shape[-1], width)).transpose(-2, -1)
    return F.linear(y, _means(self.shape[-2], height)).transpose(-2, -1)


def adaptive_avg_pool3d(self: Tensor, output_size: Sequence[int]) -> Tensor:
    """[N,C,D,H,W]."""
    depth, *plane = _triple(output_size)
    return _volume_pool(
        self,
        lambda x: F.adaptive_avg_pool2d(x, plane),
        lambda x: F.adaptive_avg_pool2d(x, (depth, plane[0] * plane[1])),
    )


def _means(length: int, count: int) -> Tensor:
    """[count, length]: row i averages from floor(i L / count) to ceil((i + 1) L / count)."""
    row, place = torch.arange(count).unsqueeze(1), torch.arange(length)
    inside = (place >= row * length // count) & (place < -(-(row + 1) * length // count))
    return inside.float() / inside.sum(1, keepdim=True)


def adaptive_max_pool1d(self: Tensor, output_size: Sequence[int]) -> Tensor:
    """[N,C,L] or [C,L]."""
    return _adaptive_max(self.unsqueeze(-1), (*output_size, 1)).squeeze(-1)


def adaptive_max_pool2d(self: Tensor, output_size: Sequence[int]) -> Tensor:
    """[N,C,H,W] or [C,H,W]."""
    size = list(output_size) * (2 // len(output_size))
    return _adaptive_max(self, size)


def adaptive_max_pool3d(self: Tensor, output_size: Sequence[int]) -> Tensor:
    """[N,C,D,H,W] or [C,D,H,W]."""
    depth, *plane = _triple(output_size)
    batched = self if self.dim() == 5 else self.unsqueeze(0)
    y = _volume_pool(
        batched,
        lambda x: _adaptive_max(x, plane),
        lambda x: _adaptive_max(x, (depth, plane[0] * plane[1])),
    )
    return y if self.dim() == 5 else y.squeeze(0)


def _triple(values: Sequence[int]) -> list[int]:
    return list(values) * (3 // len(values))


def _volume_pool(x: Tensor, in_planes: Pool, across: Pool) -> Tensor:
    """[N,C,D,H,W]: ``in_planes`` sees [N*D,C,H,W], ``across`` [N,C,D,H*W]."""
    batch = x.shape[0]
    planes = in_planes(x.permute(0, 2, 1, 3, 4).flatten(0, 1))
    height, width = planes.shape[2:]
    columns = planes.permute(0, 2, 3, 1).unflatten(0, (batch, -1)).flatten(2, 3)
    y = across(columns.permute(0, 3, 1, 2))
    return y.unflatten(3, (height, width))


def _adaptive_max(x: Tensor, size: Sequence[int]) -> Tensor:
    """Over the last two dimensions."""
    image = x if x.dim() == 4 else x.unsqueeze(0)
    for dim, count in ((2, size[0]), (3, size[1])):
        image = _adaptive_max_along(image, dim, count)
    return image if x.dim() == 4 else image.squeeze(0)


def _adaptive_max_along(x: Tensor, dim: int, count: int) -> Tensor:
    """Window i goes from floor(i L / count) to ceil((i + 1) L / count)."""
    length = x.shape[dim]
    if length % count == 0:
        return _max_of(x, dim, length // count)
    starts = [i * length // count for i in range(count)]
    ends = [-(-(i + 1) * length // count) for i in range(count)]
    pieces = [x.narrow(dim, s, e - s) for s, e in zip(starts, ends, strict=True)]
    return torch.cat([_max_of(p, dim, p.shape[dim]) for p in pieces], dim)


def _max_of(x: Tensor, dim: int, length: int) -> Tensor:
    """Windows of ``length`` side by side."""
    if length == 1:
        return x
    return F.max_pool2d(x, (length, 1) if dim == 2 else (1, length))


TABLE: dict[str, Callable[..., Any]] = {
    "aten.max_pool3d.default": max_pool3d,
    "aten.avg_pool3d.default": avg_pool3d,
    "aten.adaptive_avg_pool1d.default": adaptive_avg_pool1d,
    "aten.adaptive_avg_pool2d.default": adaptive_avg_pool2d,
    "aten.adaptive_avg_pool3d.default": adaptive_avg_pool3d,
}
