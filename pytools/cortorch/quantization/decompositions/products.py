"""Products of computed matrices as ``mm`` and ``bmm``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor


def matmul(self: Tensor, other: Tensor) -> Tensor:
    if other.dim() == 1:
        return matmul(self, other.unsqueeze(1)).squeeze(-1)
    if self.dim() == 1:
        return matmul(self.unsqueeze(0), other).squeeze(-2)
    if prod(other.shape[:-2]) == 1:
        rows = self.flatten(0, -2)
        product = torch.mm(rows, other.reshape(other.shape[-2:]))
        return product.reshape(*_batch(self, other), self.shape[-2], other.shape[-1])
    batch = _batch(self, other)
    product = torch.bmm(_flat(self, batch), _flat(other, batch))
    return product.reshape(*batch, *product.shape[1:])


def _batch(a: Tensor, b: Tensor) -> Sequence[int]:
    return torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])


def _flat(x: Tensor, batch: Sequence[int]) -> Tensor:
    """[prod(batch), rows, columns]. One matrix for all stays one: the operator reads it again."""
    if prod(x.shape[:-2]) == 1:
        return x.reshape(1, *x.shape[-2:]).expand(prod(batch), -1, -1)
    return x.expand(*batch, *x.shape[-2:]).reshape(-1, *x.shape[-2:])


def linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """For weights that are computed."""
    product = matmul(input, weight.transpose(0, 1))
    return product if bias is None else product + bias


def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float, alpha: float) -> Tensor:
    return _add(self, torch.mm(mat1, mat2), beta, alpha)


def baddbmm(self: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float, alpha: float) -> Tensor:
    return _add(self, torch.bmm(batch1, batch2), beta, alpha)


def _add(addend: Tensor, product: Tensor, beta: float, alpha: float) -> Tensor:
    if beta == 0:
        return product * alpha
    if beta != 1:
        addend = addend * beta
    return torch.add(addend, product, alpha=alpha)


def mv(self: Tensor, vec: Tensor) -> Tensor:
    return torch.mm(self, vec.unsqueeze(1)).squeeze(1)


def dot(self: Tensor, tensor: Tensor) -> Tensor:
    return torch.mm(self.unsqueeze(0), tensor.unsqueeze(1)).reshape(())


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    *,
    scale: float | None,
    enable_gqa: bool,
) -> Any:
    """The scores are scaled by scaling the queries, of which there are fewer."""
    if dropout_p != 0:
        return NotImplemented
    if enable_gqa:
        repeats = query.shape[-3] // key.shape[-3]
        key, value = (_repeat_heads(t, repeats) for t in (key, value))
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    scores = matmul(query * factor, key.transpose(-2, -1))
    if is_causal:
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool, device="cpu").tril()
        scores = scores.masked_fill(allowed.logical_not(), float("-inf"))
    elif attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(attn_mask.logical_not(), float("-inf"))
    elif attn_mask is not None:
        scores = scores + attn_mask
    return matmul(torch.softmax(scores, -1), value)


def _repeat_heads(x: Tensor, repeats: int) -> Tensor:
    """[..., heads, length, width] -> [..., heads * repeats, length, width]."""
    x = x.unsqueeze(-3)
    return x.expand(*x.shape[:-3], repeats, *x.shape[-2:]).flatten(-4, -3)


TABLE: dict[str, Callable[..., Any]] = {
    "aten.matmul.default": matmul,
    "aten.addmm.default": addmm,
    "aten.baddbmm.default": baddbmm,
    "aten.mv.default": mv,
    "aten.dot.default": dot,
    "aten.scaled_dot_product_attention.default": attention,
}
