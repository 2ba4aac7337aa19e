"""Small modules that must be int8 from end to end, for tests of the quantizer and of folding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Case = tuple[Callable[[], nn.Module], tuple[Any, ...]]


class Call(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(*inputs)


class With(nn.Module):
    """``function(self, *inputs)`` with submodules, parameters and buffers by name."""

    def __init__(self, function: Callable[..., Any], **parts: Any) -> None:
        super().__init__()
        self.function = function
        for name, part in parts.items():
            if isinstance(part, Tensor) and not isinstance(part, nn.Parameter):
                self.register_buffer(name, part)
            else:
                setattr(self, name, part)

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(self, *inputs)


def trained_norm(norm: Any) -> Any:
    """A batch norm with statistics that matter."""
    channels = norm.num_features
    norm.running_mean.copy_(torch.linspace(-1, 1, channels))
    norm.running_var.copy_(torch.linspace(0.5, 2, channels))
    with torch.no_grad():
        norm.weight.copy_(torch.linspace(0.5, 1.5, channels))
        norm.bias.copy_(torch.linspace(1, -1, channels))
    return norm


def tied() -> With:
    module = With(lambda s, x: s.a(x) + s.b(s.a(x)), a=nn.Conv2d(4, 4, 1), b=nn.Conv2d(4, 4, 1))
    module.b.weight = module.a.weight
    return module


def image(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


X = image(1, 4, 8, 8)
V = image(2, 12)

INT8: dict[str, Case] = {
    "conv": (lambda: nn.Conv2d(4, 6, 3), (X,)),
    "mean-of-a-type": (lambda: Call(lambda x: torch.mean(x * x, None, dtype=x.dtype)), (X,)),
    "floor-divide": (lambda: Call(lambda x, y: torch.floor_divide(x, y * y + 1)), (V, V * 2)),
    "divide-trunc": (
        lambda: Call(lambda x: torch.div(x, x * x + 1, rounding_mode="trunc")),
        (V * 3,),
    ),
    "conv-same": (lambda: nn.Conv2d(4, 6, 3, padding="same"), (X,)),
    "conv-same-even": (lambda: nn.Conv2d(4, 6, 2, padding="same", dilation=3), (X,)),
    "conv-valid": (lambda: nn.Conv2d(4, 6, 3, padding="valid"), (X,)),
    "conv-unbatched": (lambda: nn.Sequential(nn.Conv2d(4, 6, 3), nn.ReLU()), (X[0],)),
    "conv-same-even-unbatched": (lambda: nn.Conv2d(4, 6, 2, padding="same"), (X[0],)),
    "conv-no-bias": (lambda: nn.Conv2d(4, 6, 3, bias=False), (X,)),
    "conv-depthwise": (lambda: nn.Conv2d(4, 8, 3, groups=4), (X,)),
    "conv-bn": (lambda: nn.Sequential(nn.Conv2d(4, 6, 3), trained_norm(nn.BatchNorm2d(6))), (X,)),
    "conv-bn-relu6": (
        lambda: nn.Sequential(nn.Conv2d(4, 4, 3), trained_norm(nn.BatchNorm2d(4)), nn.ReLU6()),
        (X,),
    ),
    "conv-forked-bn": (
        lambda: With(
            lambda s, x: s.bn(y := s.conv(x)) + y,
            conv=nn.Conv2d(4, 4, 3),
            bn=trained_norm(nn.BatchNorm2d(4)),
        ),
        (X,),
    ),
    "conv-two-bns": (
        lambda: With(
            lambda s, x: s.first(s.conv(x)) + s.second(s.conv(x)),
            conv=nn.Conv2d(4, 4, 3),
            first=trained_norm(nn.BatchNorm2d(4)),
            second=nn.BatchNorm2d(4),
        ),
        (X,),
    ),
    "bn-4d": (lambda: nn.Sequential(trained_norm(nn.BatchNorm2d(4)), nn.ReLU()), (X,)),
    "bn-3d": (lambda: nn.Sequential(trained_norm(nn.BatchNorm1d(8)), nn.ReLU()), (X[0],)),
    "bn-2d": (lambda: nn.Sequential(trained_norm(nn.BatchNorm1d(12)), nn.ReLU()), (V,)),
    "pad-bn-conv": (
        lambda: nn.Sequential(nn.ZeroPad2d(1), trained_norm(nn.BatchNorm2d(4)), nn.Conv2d(4, 4, 3)),
        (X,),
    ),
    "conv1d": (lambda: nn.Sequential(nn.Conv1d(8, 6, 3, 2, 1), nn.ReLU()), (X[0],)),
    "conv1d-same-unbatched": (lambda: nn.Conv1d(8, 6, 2, padding="same"), (X[0, 0],)),
    "pools1d": (lambda: nn.Sequential(nn.MaxPool1d(2), nn.AvgPool1d(2)), (X[0],)),
    "linear": (lambda: nn.Linear(12, 5), (V,)),
    "linear-relu-in-place": (lambda: nn.Sequential(nn.Linear(12, 5), nn.ReLU(inplace=True)), (V,)),
    "linear-computed-constant": (
        lambda: With(lambda s, x: F.linear(x, s.l.weight * 2, s.l.bias), l=nn.Linear(12, 5)),
        (V,),
    ),
    "linear-view-relu": (
        lambda: With(lambda s, x: F.relu(s.l(x).view(5, 2)), l=nn.Linear(12, 5)),
        (V,),
    ),
    "linear-forked-relu": (
        lambda: With(lambda s, x: F.relu(y := s.l(x)) + y, l=nn.Linear(12, 5)),
        (V,),
    ),
    "conv-forked-relu6": (
        lambda: With(lambda s, x: F.relu6(y := s.c(x)) + y, c=nn.Conv2d(4, 4, 3)),
        (X,),
    ),
    "called-twice": (lambda: With(lambda s, x: s.c(s.c(x)), c=nn.Conv2d(4, 4, 1)), (X,)),
    "tied-weights": (tied, (X,)),
    "clamp-inside": (
        lambda: With(lambda s, x: s.c(x).clamp(min=0.1), c=nn.Conv2d(4, 4, 3)),
        (X,),
    ),
    "clamp-negative": (
        lambda: With(lambda s, x: s.c(x).clamp(max=-0.1), c=nn.Conv2d(4, 4, 3)),
        (X,),
    ),
    "hardtanh-alone": (lambda: nn.Hardtanh(-1, 1), (X,)),
    "add": (lambda: Call(lambda x, y: x + y), (X, X * 3)),
    "add-itself": (lambda: Call(lambda x: x + x), (X,)),
    "add-in-place-relu": (lambda: Call(lambda x, y: F.relu_(x + y)), (X, X * 3)),
    "iadd": (lambda: With(lambda s, x: _iadd(s.c(x), x), c=nn.Conv2d(4, 4, 1)), (X,)),
    "add-buffer": (lambda: With(lambda s, x: x + s.b, b=image(4, 1, 1)), (X,)),
    "scalars": (lambda: Call(lambda x: (1 - (x + 1.5) * 2.5) / 2 - 1), (X,)),
    "mul": (lambda: Call(lambda x, y: x * y), (X, X * 3)),
    "concat-constant": (
        lambda: Call(lambda x: torch.cat([x * 2, torch.zeros(1, 2, 8, 8)], 1)),
        (X,),
    ),
    "concat-chain": (
        lambda: Call(lambda x: torch.cat([torch.cat([x + x, x * 2], 1), F.relu(x)], 1)),
        (X,),
    ),
    "concat-inputs": (lambda: Call(lambda x, y: torch.cat([x, y, x], 1)), (X, X * 3)),
    "concat-softmax": (
        lambda: Call(lambda x: torch.cat([torch.softmax(x, 1), x * 2], 1)),
        (V,),
    ),
    "split": (lambda: Call(lambda x: torch.cat(x.chunk(2, 1)[::-1], 1) + x), (X,)),
    "unbind-select": (lambda: Call(lambda x: x.unbind(1)[1] + x.select(1, -1)), (X,)),
    "narrow": (lambda: Call(lambda x: x.narrow(2, 2, 3) * 2), (X,)),
    "zero-pad": (lambda: Call(lambda x: F.pad(x, (1, 2, 0, 1)) + 1), (X,)),
    "max-pool": (lambda: nn.Sequential(nn.Conv2d(4, 4, 3), nn.MaxPool2d(2)), (X,)),
    "avg-pool": (lambda: nn.AvgPool2d(2), (X,)),
    "pool-unbatched": (lambda: nn.MaxPool2d(2), (X[0],)),
    "global-pool-flatten": (
        lambda: nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3)),
        (X,),
    ),
    "mean-head": (lambda: With(lambda s, x: s.l(x.mean((2, 3))), l=nn.Linear(4, 3)), (X,)),
    "linear-softmax": (lambda: nn.Sequential(nn.Linear(12, 5), nn.Softmax(1)), (V,)),
    "views-only": (lambda: Call(lambda x: x.permute(0, 2, 3, 1).reshape(1, -1)), (X,)),
    "views-between": (
        lambda: With(
            lambda s, x: s.l(s.c(x).flatten(1).unsqueeze(0).squeeze(0)),
            c=nn.Conv2d(4, 1, 3),
            l=nn.Linear(36, 3),
        ),
        (X,),
    ),
    "dropout": (lambda: nn.Sequential(nn.Linear(12, 5), nn.Dropout(), nn.ReLU()), (V,)),
    "two-outputs": (lambda: With(lambda s, x: (y := s.l(x), F.relu(y)), l=nn.Linear(12, 5)), (V,)),
    "output-twice": (lambda: With(lambda s, x: (y := s.l(x), y), l=nn.Linear(12, 5)), (V,)),
    "input-is-output": (lambda: Call(lambda x: (x, x * 2)), (V,)),
    "unused-input": (lambda: Call(lambda x, y: x * 2), (V, V)),
}


def _iadd(x: Tensor, y: Tensor) -> Tensor:
    x += y
    return x


class Untrained(nn.Module):
    """Calls that have no int8 form, alone and between others."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.special.bessel_j0(x + x) * 2


FLOAT: dict[str, tuple[Callable[[], nn.Module], tuple[Any, ...], dict[str, str]]] = {
    "unknown-operator": (
        Untrained,
        (V,),
        {"special_bessel_j0": "no int8 operator for aten.special_bessel_j0.default"},
    ),
    "integers": (
        lambda: Call(lambda x: x + x),
        (torch.arange(6),),
        {"add": "its output is int64, not float32"},
    ),
    "half": (
        lambda: Call(lambda x: x + x),
        (V.half(),),
        {"add": "its output is float16, not float32"},
    ),
    "mixed-types": (
        lambda: Call(lambda x, i: x * i),
        (V, torch.ones(2, 12, dtype=torch.int64)),
        {"mul": "other is int64, not float32"},
    ),
    "views-between-floats": (
        lambda: Call(lambda x: torch.special.bessel_j0(torch.special.bessel_j0(x).view(-1))),
        (V,),
        {"view": "it only connects calls in float"},
    ),
    "write-through-alias": (
        lambda: Call(_write_through_alias),
        (V,),
        {"add": "it shares memory with a tensor that is modified in place"},
    ),
}


def _write_through_alias(x: Tensor) -> Tensor:
    y = x * 2
    row = y[0]
    y.relu_()
    return row + 1


def build(table: dict[str, Any], name: str) -> tuple[nn.Module, tuple[Any, ...]]:
    """The module of a row (same weights in every run, in eval mode) and its inputs."""
    torch.manual_seed(0)
    make, inputs, *_ = table[name]
    return make().eval(), inputs
