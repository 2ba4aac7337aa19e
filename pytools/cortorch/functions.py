"""Functions that PyTorch does not have, for rewrites of captured graphs to call."""

from __future__ import annotations

import math

import torch

_library = torch.library.Library("cortorch", "DEF")
_library.define("masked_softmax(Tensor self, Tensor mask, int dim) -> Tensor")


def _masked_softmax(self: torch.Tensor, mask: torch.Tensor, dim: int) -> torch.Tensor:
    """Softmax of the entries where ``mask`` is False. The others are 0; also where none is left."""
    masked = torch.softmax(self.masked_fill(mask, -math.inf), dim)
    return masked.masked_fill(mask, 0.0)


_library.impl("masked_softmax", _masked_softmax, "CompositeExplicitAutograd")

masked_softmax = torch.ops.cortorch.masked_softmax.default
