"""Functions that PyTorch does not have, for rewrites of captured graphs to call."""

from __future__ import annotations

import math

import torch

NAMESPACE = "cortorch"

_library = torch.library.Library(NAMESPACE, "DEF")
_library.define("softmax_with_mask(Tensor self, Tensor mask, int dim) -> Tensor")


def _softmax_with_mask(self: torch.Tensor, mask: torch.Tensor, dim: int) -> torch.Tensor:
    """Softmax of the entries where ``mask`` is False. The others are 0; also where none is left."""
    masked = torch.softmax(self.masked_fill(mask, -math.inf), dim)
    return masked.masked_fill(mask, 0.0)


_library.impl("softmax_with_mask", _softmax_with_mask, "CompositeExplicitAutograd")

softmax_with_mask = torch.ops.cortorch.softmax_with_mask.default
