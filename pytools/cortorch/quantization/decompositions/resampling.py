"""Upsampling by interpolation, as a product with a constant matrix for each dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

Weights = Callable[[Tensor, int], Tensor]
"""[size, length]: how much of each input is in outputs at such places among them."""


def _upsample(weights: Weights) -> Callable[..., Tensor]:
    """Of [N,C,...], along every dimension of the rest."""

    def upsample(
        input: Tensor,
        output_size: Sequence[int] | None,
        align_corners: bool,
        scale_factors: Sequence[float] | None,
    ) -> Tensor:
        lengths = input.shape[2:]
        factors = list(scale_factors) if scale_factors else [None] * len(lengths)
        sizes = output_size or [int(n * f) for n, f in zip(lengths, factors, strict=True) if f]
        y = input
        for i in reversed(range(len(lengths))):
            places = _places(lengths[i], int(sizes[i]), align_corners, factors[i])
            y = F.linear(y.transpose(i + 2, -1), weights(places, lengths[i])).transpose(i + 2, -1)
        return y

    return upsample


def _places(length: int, size: int, align_corners: bool, factor: float | None) -> Tensor:
    """Where outputs are among the inputs, as torch.nn.functional.interpolate has it."""
    places = torch.arange(size, dtype=torch.float32, device="cpu")
    if align_corners:
        return places * ((length - 1) / (size - 1) if size > 1 else 0.0)
    return (places + 0.5) * (1 / factor if factor else length / size) - 0.5


def _linear(places: Tensor, length: int) -> Tensor:
    """A hat around the place, which is that of the outermost input beyond them."""
    inputs = torch.arange(length, dtype=torch.float32, device="cpu")
    distances = (places.clamp(0.0, length - 1.0).unsqueeze(1) - inputs).abs()
    return torch.relu(1.0 - distances)


def _cubic(places: Tensor, length: int) -> Tensor:
    """Keys' kernel with a = -3/4 on four neighbours; those beyond the ends are the outermost."""
    inputs = torch.arange(length, device="cpu")
    first = torch.floor(places)
    total = torch.zeros(len(places), length, device="cpu")
    for offset in (-1, 0, 1, 2):
        x = (places - first - offset).abs()
        near = (1.25 * x - 2.25) * x * x + 1
        far = ((-0.75 * x + 3.75) * x - 6) * x + 3
        index = (first + offset).clamp(0, length - 1)
        hit = (index.unsqueeze(1) == inputs).float()
        total = total + torch.where(x <= 1, near, far).unsqueeze(1) * hit
    return total


TABLE: dict[str, Callable[..., Any]] = {
    "aten.upsample_linear1d.vec": _upsample(_linear),
    "aten.upsample_bilinear2d.vec": _upsample(_linear),
    "aten.upsample_trilinear3d.vec": _upsample(_linear),
    "aten.upsample_bicubic2d.vec": _upsample(_cubic),
}
