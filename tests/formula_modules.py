"""Modules that compute formulas: functions of one number, several to a module, and of several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from quantized_modules import Call, Case, With, image

PICTURE = image(1, 6, 5, 6)
OTHER = image(1, 6, 5, 6).flip(1) * 2

Function = Callable[[Tensor], Tensor]

BENT: tuple[Function, ...] = (
    *(F.relu6, F.hardtanh, F.leaky_relu, F.elu, F.selu, F.celu, F.silu, F.mish, F.softplus),
    *(F.gelu, lambda x: F.gelu(x, approximate="tanh"), F.hardswish, F.hardsigmoid, F.logsigmoid),
    *(F.softsign, F.tanhshrink, F.softshrink, F.hardshrink, F.rrelu),
    lambda x: F.threshold(x, 0.1, -0.2),
)
SMOOTH: tuple[Function, ...] = (
    *(torch.sigmoid, torch.tanh, torch.erf, torch.atan, torch.sin, torch.cos, torch.exp),
    *(torch.expm1, torch.sinh, torch.abs, torch.neg, torch.square, lambda x: x**3),
)
OF_POSITIVE: tuple[Function, ...] = (
    *(torch.sqrt, torch.rsqrt, torch.log, torch.log2, torch.log10, torch.log1p),
    *(torch.reciprocal, lambda x: x**1.5, lambda x: x**-0.5),
)
STEPS: tuple[Function, ...] = (torch.floor, torch.ceil, torch.round, torch.trunc)


def each(functions: tuple[Function, ...]) -> Callable[[], nn.Module]:
    return lambda: Call(lambda x: tuple(f(x) for f in functions))


def several(function: Callable[..., Any]) -> Callable[[], nn.Module]:
    return lambda: Call(function)


def norms(x: Tensor) -> tuple[Tensor, ...]:
    return tuple(torch.linalg.vector_norm(x, p, dim=1) for p in (1, 2, torch.inf))


FORMULAS: dict[str, Case] = {
    "activations": (each(BENT), (PICTURE,)),
    "smooth-functions": (each(SMOOTH), (PICTURE,)),
    "functions-of-positive-numbers": (
        several(lambda x: tuple(f(x.abs() + 0.3) for f in OF_POSITIVE)),
        (PICTURE,),
    ),
    "steps": (each(STEPS), (PICTURE * 30,)),
    "blends": (
        several(
            lambda x, y: (
                torch.lerp(x, y, 0.3),
                torch.addcmul(x, y, y, value=0.5),
                torch.addcdiv(x, y, x.abs() + 1, value=2.0),
                torch.rsub(x, y),
            )
        ),
        (PICTURE, OTHER),
    ),
    "var-mean": (several(lambda x: torch.var_mean(x + 1, (1, 2))), (PICTURE,)),
    "std-mean": (several(lambda x: torch.std_mean(x, 1, keepdim=True)), (PICTURE,)),
    "log-softmax": (lambda: nn.LogSoftmax(1), (PICTURE,)),
    "logsumexp": (several(lambda x: torch.logsumexp(x, (1, 3))), (PICTURE,)),
    "vector-norms": (several(norms), (PICTURE,)),
    "normalize": (several(F.normalize), (PICTURE,)),
    "cosine-similarity": (several(F.cosine_similarity), (PICTURE, PICTURE + OTHER * 0.3)),
    "transformer-encoder": (lambda: nn.TransformerEncoderLayer(8, 2, 16), (image(5, 2, 8),)),
}

RESAMPLED: dict[str, Case] = {
    "upsample-nearest": (lambda: nn.Upsample(scale_factor=1.7), (PICTURE,)),
    "upsample-linear": (lambda: nn.Upsample(scale_factor=2.5, mode="linear"), (PICTURE[0],)),
    "upsample-bilinear-corners": (
        lambda: nn.Upsample((3, 11), mode="bilinear", align_corners=True),
        (PICTURE,),
    ),
    "upsample-trilinear": (
        lambda: nn.Upsample(scale_factor=2, mode="trilinear"),
        (image(1, 2, 3, 4, 3),),
    ),
    "upsample-bicubic": (lambda: nn.Upsample(size=(9, 4), mode="bicubic"), (PICTURE,)),
    "pixel-shuffle": (
        lambda: nn.Sequential(nn.Conv2d(6, 8, 1), nn.PixelShuffle(2), nn.ReLU()),
        (PICTURE,),
    ),
    "pixel-unshuffle": (
        lambda: With(lambda s, x: s.conv(F.pixel_unshuffle(x * 2, 2)), conv=nn.Conv2d(24, 4, 1)),
        (image(1, 6, 4, 6),),
    ),
}
