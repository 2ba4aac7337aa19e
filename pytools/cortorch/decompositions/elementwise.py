"""Functions that are a few elementwise ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


def glu(self: Tensor, dim: int) -> Tensor:
    half = self.shape[dim] // 2
    return self.narrow(dim, 0, half) * torch.sigmoid(self.narrow(dim, half, half))


def prelu(self: Tensor, weight: Tensor) -> Tensor:
    """One slope, or one for each channel (dimension 1)."""
    if weight.numel() > 1 and self.dim() > 1:
        weight = weight.reshape(-1, *[1] * (self.dim() - 2))
    return torch.relu(self) + weight * torch.clamp(self, max=0.0)


def stack(tensors: Sequence[Tensor], dim: int) -> Tensor:
    return torch.cat([t.unsqueeze(dim) for t in tensors], dim)


TABLE: dict[str, Callable[..., Any]] = {
    "aten.glu.default": glu,
    "aten.prelu.default": prelu,
    "aten.stack.default": stack,
}
