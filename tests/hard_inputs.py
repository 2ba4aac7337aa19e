"""Modules and inputs that exporters for these cores get wrong or refuse, by what is hard in them.

They are rows of ``dialect_modules``, too: int8 from input to output, near their float selves, and
the same on every board.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from quantized_modules import Call, Case, With, image


def channels_last(*shape: int) -> Tensor:
    return image(*shape).to(memory_format=torch.channels_last)


PICTURE = image(1, 3, 8, 8)
ROW = image(2, 12)


def linear(function: Any, inputs: int = 12, outputs: int = 6) -> Any:
    return lambda: With(function, l=nn.Linear(inputs, outputs))


def conv(function: Any, **options: Any) -> Any:
    return lambda: With(function, c=nn.Conv2d(3, 4, 3, **options))


CLAMPS: dict[str, Case] = {
    "relu-of-forked-linear": (linear(lambda s, x: F.relu(y := s.l(x)) + y), (ROW,)),
    "relu-behind-view": (linear(lambda s, x: F.relu(s.l(x).view(3, 4))), (ROW,)),
    "clamp-of-sum": (lambda: Call(lambda x: torch.clamp(x + x, min=0.1)), (ROW,)),
    "clamp-of-conv": (conv(lambda s, x: torch.clamp(s.c(x), min=0.1)), (PICTURE,)),
    "clamp-of-linear": (linear(lambda s, x: torch.clamp(s.l(x), 0.1, 6)), (ROW,)),
    "clamp-below-zero": (linear(lambda s, x: torch.clamp(s.l(x), max=-0.1)), (ROW,)),
    "hardtanh-alone": (lambda: nn.Hardtanh(-1, 1), (ROW,)),
    "relu6-and-add-of-one-conv": (
        conv(lambda s, x: (F.relu6(y := s.c(x)), y + y)),
        (PICTURE,),
    ),
}

HARDSWISH: dict[str, Case] = {
    "hardswish-alone": (nn.Hardswish, (PICTURE,)),
    "hardswish-of-pool": (lambda: nn.Sequential(nn.AvgPool2d(2), nn.Hardswish()), (PICTURE,)),
    "hardswish-of-sum": (lambda: Call(lambda x: F.hardswish(x + x)), (PICTURE,)),
    "hardswish-of-forked-conv": (conv(lambda s, x: F.hardswish(y := s.c(x)) + y), (PICTURE,)),
}

WEIGHTS: dict[str, Case] = {
    "weight-from-constants": (linear(lambda s, x: F.linear(x, s.l.weight * 2, s.l.bias)), (ROW,)),
    "weight-is-an-input": (lambda: Call(F.linear), (ROW, image(5, 12))),
    "module-called-twice": (linear(lambda s, x: s.l(s.l(x)), 12, 12), (ROW,)),
    "weights-shared": (
        linear(lambda s, x: F.linear(s.l(x), s.l.weight, s.l.bias + 1), 12, 12),
        (ROW,),
    ),
    "conv-dilated": (lambda: nn.Conv2d(3, 4, 3, dilation=2), (PICTURE,)),
    "conv-same": (lambda: nn.Conv2d(3, 4, 3, padding="same"), (PICTURE,)),
    "conv-same-even": (lambda: nn.Conv2d(3, 4, (2, 4), padding="same"), (PICTURE,)),
    "conv-unbatched": (lambda: nn.Conv2d(3, 4, 3), (PICTURE[0],)),
    "conv-transpose-pointwise-strided": (lambda: nn.ConvTranspose2d(3, 4, 1, 2), (PICTURE,)),
}

PADS: dict[str, Case] = {
    "pad-of-rank-5": (
        lambda: Call(lambda x: F.pad(x + x, (1, 0, 2, 1, 0, 3))),
        (image(1, 2, 3, 4, 5),),
    ),
    "pad-negative": (lambda: Call(lambda x: F.pad(x + x, (-1, 2, 1, -2))), (PICTURE,)),
    "reflect": (lambda: Call(lambda x: F.pad(x + x, (2, 1, 1, 2), "reflect")), (PICTURE,)),
    "replicate": (lambda: Call(lambda x: F.pad(x + x, (2, 1, 1, 2), "replicate")), (PICTURE,)),
}

SCALARS: dict[str, Case] = {
    "plus-scalar": (lambda: Call(lambda x: x + 1.5), (ROW,)),
    "times-scalar": (lambda: Call(lambda x: x * 2.5), (ROW,)),
    "divided-by-scalar": (lambda: Call(lambda x: x / 2.5), (ROW,)),
    "scalar-minus": (lambda: Call(lambda x: 1 - x), (ROW,)),
    "linear-times-scalar": (linear(lambda s, x: s.l(x) * 0.35), (ROW,)),
}

LAYOUTS: dict[str, Case] = {
    "conv-permuted": (conv(lambda s, x: s.c(x).permute(0, 2, 3, 1)), (channels_last(1, 3, 8, 8),)),
    "sum-transposed": (
        lambda: Call(lambda x: (x + x).transpose(2, 3)),
        (channels_last(1, 3, 4, 5),),
    ),
    "add-of-two-layouts": (lambda: Call(torch.add), (channels_last(2, 3, 4, 5), image(2, 3, 4, 5))),
    "mul-of-two-layouts": (lambda: Call(torch.mul), (image(2, 3, 4, 5), channels_last(2, 3, 4, 5))),
    "add-of-a-channel": (lambda: Call(torch.add), (channels_last(2, 3, 4, 5), image(2, 1, 4, 5))),
    "mul-of-channels": (lambda: Call(torch.mul), (channels_last(2, 3, 4, 5), image(2, 3, 1, 1))),
    "add-of-ranks": (lambda: Call(torch.add), (image(2, 3, 4), image(4))),
    "permute-of-rank-5": (
        lambda: Call(lambda x: (x + x).permute(4, 1, 0, 3, 2)),
        (image(2, 3, 4, 2, 5),),
    ),
    "permute-of-rank-6": (
        lambda: Call(lambda x: (x + x).permute(5, 0, 3, 1, 4, 2)),
        (image(2, 3, 1, 2, 3, 2),),
    ),
    "pixel-shuffle": (
        lambda: Call(lambda x: F.pixel_shuffle(x + x, 2)),
        (image(1, 8, 3, 5),),
    ),
    "softmax-over-channels": (lambda: nn.Softmax(1), (image(1, 10, 1, 1),)),
    "softmax-of-conv": (conv(lambda s, x: F.softmax(s.c(x), 1)), (PICTURE,)),
}

POOLS: dict[str, Case] = {
    "max-pool": (lambda: nn.MaxPool2d(2), (PICTURE,)),
    "max-pool-ceil": (lambda: nn.MaxPool2d(3, 2, ceil_mode=True), (PICTURE,)),
    "max-pool-dilated": (lambda: nn.MaxPool2d(3, 1, 1, dilation=2), (PICTURE,)),
    "avg-pool": (lambda: nn.AvgPool2d(2), (PICTURE,)),
    "avg-pool-ceil": (lambda: nn.AvgPool2d(3, 2, ceil_mode=True), (PICTURE,)),
    "avg-pool-pads-count": (lambda: nn.AvgPool2d(3, 2, 1), (PICTURE,)),
    "avg-pool-pads-do-not-count": (
        lambda: nn.AvgPool2d(3, 2, 1, count_include_pad=False),
        (PICTURE,),
    ),
    "avg-pool-divisor": (lambda: nn.AvgPool2d(3, 2, divisor_override=5), (PICTURE,)),
}

TOKENS = image(1, 5, 8)

ATTENTION: dict[str, Case] = {
    "multihead-attention": (
        lambda: With(lambda s, x: s.m(x, x, x), m=nn.MultiheadAttention(8, 2, batch_first=True)),
        (TOKENS,),
    ),
}

GRAPHS: dict[str, Case] = {
    "concat-of-wide-and-narrow": (
        lambda: Call(lambda a, b: torch.cat([a + a, b + b], 1)),
        (100 * PICTURE, PICTURE),
    ),
    "input-unused": (lambda: Call(lambda x, y: x * 2), (ROW, ROW)),
    "input-is-output": (lambda: Call(lambda x: (x, x * 2)), (ROW,)),
    "output-returned-twice": (lambda: Call(lambda x: (y := x * 2, y)), (ROW,)),
    "output-is-constant": (lambda: With(lambda s, x: (x * 2, s.b), b=image(3)), (ROW,)),
}

MODULES: dict[str, Case] = {
    **CLAMPS,
    **HARDSWISH,
    **WEIGHTS,
    **PADS,
    **SCALARS,
    **LAYOUTS,
    **POOLS,
    **ATTENTION,
    **GRAPHS,
}
