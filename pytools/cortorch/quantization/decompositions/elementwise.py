"""Functions that are a few elementwise ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def glu(self: Tensor, dim: int) -> Tensor:
    half = self.shape[dim] // 2
    return self.narrow(dim, 0, half) * torch.sigmoid(self.narrow(dim, half, half))


def abs_integer(self: Tensor) -> Any:
    """Real numbers have a table."""
    return NotImplemented if self.is_floating_point() else torch.maximum(self, -self)


def clamp_integer(self: Tensor, min: float | None, max: float | None) -> Any:
    if self.is_floating_point() or not all(b is None or isinstance(b, int) for b in (min, max)):
        return NotImplemented
    low, high = (
        None if b is None else torch.full((), b, dtype=self.dtype, device="cpu") for b in (min, max)
    )
    return clamp_tensors(self, low, high)


def relu_integer(self: Tensor) -> Any:
    return clamp_integer(self, 0, None)


def clamp_tensors(self: Tensor, min: Tensor | None, max: Tensor | None) -> Tensor:
    """Where the bounds cross, ``max`` wins."""
    y = self if min is None else torch.maximum(self, min)
    return y if max is None else torch.minimum(y, max)


def clamp_min_tensor(self: Tensor, min: Tensor) -> Tensor:
    return torch.maximum(self, min)


def clamp_max_tensor(self: Tensor, max: Tensor) -> Tensor:
    return torch.minimum(self, max)


def divide(self: Tensor, other: Any, rounding_mode: str | None) -> Any:
    """By a number it is one function of ``self``, which needs no help; of integers it is exact."""
    if not isinstance(other, Tensor) or not self.is_floating_point():
        return NotImplemented
    quotient = self / other
    rounding = {None: torch.clone, "floor": torch.floor, "trunc": torch.trunc}
    return rounding[rounding_mode](quotient)


def floor_divide(self: Tensor, other: Any) -> Tensor:
    return torch.div(self, other, rounding_mode="floor")


def lerp(self: Tensor, end: Tensor, weight: Any) -> Tensor:
    return self + weight * (end - self)


def addcmul(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float) -> Tensor:
    return torch.add(self, tensor1 * tensor2, alpha=value)


def addcdiv(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float) -> Tensor:
    return torch.add(self, tensor1 / tensor2, alpha=value)


def rsub(self: Tensor, other: Tensor, alpha: float) -> Tensor:
    return torch.sub(other, self, alpha=alpha)


def rrelu(self: Tensor, lower: float, upper: float, training: bool, generator: Any) -> Any:
    """Without training its slope is the mean one."""
    return NotImplemented if training else F.leaky_relu(self, (lower + upper) / 2)


def softshrink(self: Tensor, lambd: float) -> Tensor:
    return self - torch.clamp(self, -lambd, lambd)


def hardshrink(self: Tensor, lambd: float) -> Tensor:
    return F.threshold(self, lambd, 0.0) - F.threshold(-self, lambd, 0.0)


def prelu(self: Tensor, weight: Tensor) -> Tensor:
    """One slope, or one for each channel (dimension 1)."""
    if weight.numel() > 1 and self.dim() > 1:
        weight = weight.reshape(-1, *[1] * (self.dim() - 2))
    return torch.relu(self) + weight * torch.clamp(self, max=0.0)


def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    """With statistics of its own it is a batch norm."""
    if use_input_stats:
        return NotImplemented
    return torch.batch_norm(
        input, weight, bias, running_mean, running_var, False, momentum, eps, cudnn_enabled
    )


def stack(tensors: Sequence[Tensor], dim: int) -> Tensor:
    return torch.cat([t.unsqueeze(dim) for t in tensors], dim)


TABLE: dict[str, Callable[..., Any]] = {
    "aten.abs.default": abs_integer,
    "aten.clamp.default": clamp_integer,
    "aten.relu.default": relu_integer,
    "aten.clamp.Tensor": clamp_tensors,
    "aten.clamp_max.Tensor": clamp_max_tensor,
    "aten.clamp_min.Tensor": clamp_min_tensor,
    "aten.div.Tensor_mode": divide,
    "aten.floor_divide.default": floor_divide,
    "aten.glu.default": glu,
    "aten.hardshrink.default": hardshrink,
    "aten.instance_norm.default": instance_norm,
    "aten.addcdiv.default": addcdiv,
    "aten.addcmul.default": addcmul,
    "aten.lerp.Scalar": lerp,
    "aten.lerp.Tensor": lerp,
    "aten.prelu.default": prelu,
    "aten.rrelu.default": rrelu,
    "aten.rsub.Tensor": rsub,
    "aten.softshrink.default": softshrink,
    "aten.stack.default": stack,
}
