"""Random data for ``cases.py``; every function draws from the caller's seeded generator."""

from __future__ import annotations

import torch

from cmsis_nn_ops.fixed_point import quantize_multiplier


def int8(g: torch.Generator, shape: tuple[int, ...]) -> torch.Tensor:
    """Uniform over -128..127, both ends included."""
    return torch.randint(-128, 128, shape, generator=g, dtype=torch.int8)


def requantization(
    g: torch.Generator, channels: int, taps: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Per-channel (multiplier, shift), such that sums over ``taps`` random products fill the int8
    range."""
    spread = 74.0 * 74.0 * taps**0.5
    reals = (torch.rand(channels, generator=g, dtype=torch.float64) + 0.3) * 60.0 / spread
    pairs = [quantize_multiplier(float(r)) for r in reals]
    multiplier, shift = zip(*pairs, strict=True)
    return torch.tensor(multiplier, dtype=torch.int32), torch.tensor(shift, dtype=torch.int32)
