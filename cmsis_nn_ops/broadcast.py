"""Broadcasting, as the elementwise operators of two operands share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

RANK = 6
"""CT_BROADCAST_RANK of support/ct_broadcast.h."""


@dataclass(frozen=True)
class Broadcast:
    """Two shapes that broadcast, with as few dimensions as say the same."""

    sizes: tuple[int, ...]
    """RANK sizes, outermost first, filled up with 1 in front."""
    self_repeats: int
    """Bit d: the first operand does not advance along dimension d."""
    other_repeats: int


def broadcast(self_shape: Sequence[int], other_shape: Sequence[int]) -> Broadcast:
    """Neighbouring dimensions that repeat in the same operand (or in none) become one.

    Raises:
        ValueError: the shapes do not broadcast, or RANK dimensions are not enough.
    """
    return Broadcast(*_walk(self_shape, other_shape))


@dataclass(frozen=True)
class Broadcast3:
    """Three shapes that broadcast, for two walks side by side."""

    sizes: tuple[int, ...]
    first_repeats: int
    second_repeats: int
    third_repeats: int


def broadcast3(*shapes: Sequence[int]) -> Broadcast3:
    """The same for three operands.

    Raises:
        ValueError: as for two.
    """
    return Broadcast3(*_walk(*shapes))


def _walk(*shapes: Sequence[int]) -> tuple[Any, ...]:
    """Sizes, and a mask of the dimensions that repeat for each shape."""
    listed = " and ".join(str(list(shape)) for shape in shapes)
    try:
        out = torch.broadcast_shapes(*(tuple(shape) for shape in shapes))
    except RuntimeError as error:
        raise ValueError(f"{listed} do not broadcast") from error
    groups: list[tuple[int, tuple[bool, ...]]] = []
    for size, *operands in zip(out, *(_aligned(shape, out) for shape in shapes), strict=True):
        repeats = tuple(operand != size for operand in operands)
        if groups and groups[-1][1] == repeats:
            groups[-1] = (groups[-1][0] * size, repeats)
        elif size != 1:
            groups.append((size, repeats))
    if len(groups) > RANK:
        raise ValueError(f"{listed} alternate more than {RANK} times")
    groups = [(1, (False,) * len(shapes))] * (RANK - len(groups)) + groups
    masks = [sum(r[i] << d for d, (_, r) in enumerate(groups)) for i in range(len(shapes))]
    return (tuple(size for size, _ in groups), *masks)


def _aligned(shape: Sequence[int], out: Sequence[int]) -> list[int]:
    return [1] * (len(out) - len(shape)) + list(shape)


def broadcasts(self: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether the C support layer can walk these operands; none may be empty."""
    try:
        broadcast(self.shape, other.shape)
    except ValueError:
        return False
    return self.numel() > 0 and other.numel() > 0


def permuted(self: torch.Tensor, other: torch.Tensor, perm: Sequence[int]) -> dict[str, Any]:
    """``OpDef.permuted`` of an elementwise operator of two operands."""
    return all_permuted((self, other), perm)


def all_permuted(operands: Sequence[torch.Tensor], perm: Sequence[int]) -> dict[str, Any]:
    """``OpDef.permuted`` of an elementwise operator: nothing changes, if each operand has the rank
    of the permutation or one element."""
    if any(t.dim() != len(perm) and t.numel() != 1 for t in operands):
        raise LookupError("an operand of lower rank does not follow the permutation")
    return {}
