"""Bilinear upsampling as two products with constant matrices, one for each direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def upsample_bilinear2d(
    input: Tensor,
    output_size: Sequence[int] | None,
    align_corners: bool,
    scale_factors: Sequence[float] | None,
) -> Tensor:
    """[N,C,H,W]."""
    height, width = input.shape[2:]
    factors = list(scale_factors) if scale_factors else [None, None]
    sizes = output_size or [int(n * f) for n, f in zip((height, width), factors, strict=True) if f]
    down, across = (
        _matrix(n, int(size), align_corners, f)
        for n, size, f in zip((height, width), sizes, factors, strict=True)
    )
    wide = F.linear(input, across)
    return F.linear(wide.transpose(2, 3), down).transpose(2, 3)


def _matrix(length: int, size: int, align_corners: bool, factor: float | None) -> Tensor:
    """[size, length]: row o has the weights of the two neighbours of output o.

    They are the values of a hat function around the output's place among the inputs, which is that
    of torch.nn.functional.interpolate.
    """
    places = torch.arange(size, dtype=torch.float32)
    if align_corners:
        places = places * ((length - 1) / (size - 1) if size > 1 else 0.0)
    else:
        places = (places + 0.5) * (1 / factor if factor else length / size) - 0.5
    places = places.clamp(0.0, length - 1.0)
    distances = (places.unsqueeze(1) - torch.arange(length, dtype=torch.float32)).abs()
    return torch.relu(1.0 - distances)


TABLE: dict[str, Callable[..., Any]] = {"aten.upsample_bilinear2d.vec": upsample_bilinear2d}
