"""Shared by the operators that work along one axis of a tensor, seen as [outer, length, inner]."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod


def has(shape: Sequence[int], dim: int) -> bool:
    """``dim`` is an axis of ``shape``, counted from the front or (negative) from the back."""
    return -len(shape) <= dim < len(shape)


def split(shape: Sequence[int], dim: int) -> tuple[int, int, int]:
    """(outer, length, inner): the elements before, along and behind axis ``dim``."""
    dim %= len(shape)
    return prod(shape[:dim]), shape[dim], prod(shape[dim + 1 :])


def moved(dim: int, perm: Sequence[int]) -> int:
    """Where axis ``dim`` is after ``Tensor.permute(perm)``."""
    return perm.index(dim % len(perm))
