"""Small modules that order, compare, choose and divide numbers, and that work on integers."""

from __future__ import annotations

import torch

from quantized_modules import Call, Case, image

PICTURE = image(1, 6, 5, 6)
DISTINCT = torch.randperm(60, generator=torch.Generator().manual_seed(1)).view(3, 4, 5) * 0.1 - 3

ORDER: dict[str, Case] = {
    "argmax": (lambda: Call(lambda x: torch.argmax(x)), (PICTURE,)),
    "argmax-dim": (lambda: Call(lambda x: torch.argmax(x * 2, 1)), (PICTURE,)),
    "argmin-keepdim": (lambda: Call(lambda x: torch.argmin(x, -2, keepdim=True)), (DISTINCT,)),
    "max-dim": (lambda: Call(lambda x: x.max(1)), (PICTURE,)),
    "min-dim": (lambda: Call(lambda x: x.min(-1, keepdim=True)), (DISTINCT,)),
    "max-of-scalar": (lambda: Call(lambda x: x[0, 0, 0, 0].max(0)), (PICTURE,)),
    "max-dim-int64": (lambda: Call(lambda x: x.max(1)), (torch.arange(12).view(3, 4) % 7,)),
    "median": (lambda: Call(lambda x: x.median()), (image(5, 7),)),
    "median-dim": (lambda: Call(lambda x: x.median(0)), (DISTINCT,)),
    "sort": (lambda: Call(lambda x: torch.sort(x, -1, descending=True)), (DISTINCT,)),
    "topk": (lambda: Call(lambda x: torch.topk(x, 3, 0)), (image(9, 4),)),
    "kthvalue": (lambda: Call(lambda x: torch.kthvalue(x, 2)), (image(4, 9),)),
}

POSITIVE = image(6, 1, 1).abs() + 0.5

ARITHMETIC: dict[str, Case] = {
    "div": (lambda: Call(lambda x, y: x / (y.abs() + 1)), (PICTURE, POSITIVE)),
    "div-number-by-tensor": (lambda: Call(lambda x: 3.0 / (x.abs() + 1)), (PICTURE,)),
    "minimum": (lambda: Call(torch.minimum), (PICTURE, image(6, 5, 1))),
    "maximum": (lambda: Call(lambda x: torch.maximum(x * 2, x.flip(1))), (PICTURE,)),
    "maximum-int64": (
        lambda: Call(torch.maximum),
        (torch.arange(-4, 4).view(2, 4), torch.tensor([[0], [2]])),
    ),
    "clamp-tensors": (
        lambda: Call(lambda x, y: torch.clamp(x, -y, y)),
        (PICTURE, POSITIVE),
    ),
}

MASK = image(6, 5, 1) > 0

CHOICES: dict[str, Case] = {
    "greater": (lambda: Call(torch.gt), (DISTINCT, DISTINCT.flip(1) * 3)),
    "equal": (lambda: Call(torch.eq), (DISTINCT, DISTINCT.flip(1).contiguous())),
    "less-than-number": (lambda: Call(lambda x: x < 0.55), (DISTINCT,)),
    "greater-or-equal-number-int64": (lambda: Call(lambda x: x >= 2), (torch.arange(6),)),
    "where": (lambda: Call(torch.where), (MASK, PICTURE, PICTURE * 3)),
    "where-number": (lambda: Call(lambda m, x: torch.where(m, x, 2.0)), (MASK, PICTURE)),
    "where-compared": (
        lambda: Call(lambda x, y: torch.where((x > y) | (x < -1), x, y * 2)),
        (DISTINCT, DISTINCT.flip(1)),
    ),
    "masked-fill": (lambda: Call(lambda x, m: x.masked_fill(m, 5.0)), (PICTURE, MASK)),
    "masked-fill-tensor": (
        lambda: Call(lambda x, m: x.masked_fill(m, torch.tensor(0.5))),
        (PICTURE, MASK),
    ),
}

MASK = image(6, 5, 1) > 0

CHOICES: dict[str, Case] = {
    "greater": (lambda: Call(torch.gt), (DISTINCT, DISTINCT.flip(1) * 3)),
    "equal": (lambda: Call(torch.eq), (DISTINCT, DISTINCT.flip(1).contiguous())),
    "less-than-number": (lambda: Call(lambda x: x < 0.55), (DISTINCT,)),
    "greater-or-equal-number-int64": (lambda: Call(lambda x: x >= 2), (torch.arange(6),)),
    "where": (lambda: Call(torch.where), (MASK, PICTURE, PICTURE * 3)),
    "where-number": (lambda: Call(lambda m, x: torch.where(m, x, 2.0)), (MASK, PICTURE)),
    "where-compared": (
        lambda: Call(lambda x, y: torch.where((x > y) | (x < -1), x, y * 2)),
        (DISTINCT, DISTINCT.flip(1)),
    ),
    "masked-fill": (lambda: Call(lambda x, m: x.masked_fill(m, 5.0)), (PICTURE, MASK)),
    "masked-fill-tensor": (
        lambda: Call(lambda x, m: x.masked_fill(m, torch.tensor(0.5))),
        (PICTURE, MASK),
    ),
}

PLACES, OTHERS = torch.tensor([4, -5, 2]), torch.tensor([[0], [3]])
ROWS = image(5, 6)


def added_in_place(x: torch.Tensor, index: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y.index_put_((index,), values, accumulate=True)
    return y


def with_columns(x: torch.Tensor, index: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, index] = values
    return y


def zero_below(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    y[y < -0.55] = 0.25
    return y


INDEXED: dict[str, Case] = {
    "index-put": (
        lambda: Call(lambda x, i, v: torch.index_put(x, (i,), v)),
        (ROWS, PLACES, image(6)),
    ),
    "index-put-two-axes": (
        lambda: Call(lambda x, i, j, v: torch.index_put(x, (i, j), v)),
        (ROWS, PLACES, OTHERS, image(2, 1)),
    ),
    "index-put-columns": (lambda: Call(with_columns), (ROWS, PLACES, image(5, 3))),
    "index-put-added-in-place": (lambda: Call(added_in_place), (ROWS, PLACES, image(6))),
    "index-put-mask": (lambda: Call(zero_below), (DISTINCT,)),
    "scatter": (
        lambda: Call(lambda x, i, v: torch.scatter(x, 1, i, v)),
        (ROWS, OTHERS.expand(2, 3).contiguous(), image(2, 3)),
    ),
    "scatter-add": (
        lambda: Call(lambda x, i, v: torch.scatter_add(x, 0, i, v)),
        (ROWS, OTHERS.expand(2, 3).contiguous(), image(2, 3)),
    ),
}

WHOLE = torch.arange(-6, 6).view(3, 4)
DIVISORS = torch.tensor([-2, 1, 3, 5])

INTEGERS: dict[str, Case] = {
    "integers": (lambda: Call(lambda x, y: (x + 3) * y - x), (WHOLE, DIVISORS)),
    "integers-int32": (
        lambda: Call(lambda x, y: torch.sub(-x, y, alpha=2).abs()),
        (WHOLE.int(), DIVISORS.int()),
    ),
    "integers-divided": (
        lambda: Call(
            lambda x, y: (x // y, x % y, torch.div(x, y, rounding_mode="trunc"), torch.fmod(x, y))
        ),
        (WHOLE, DIVISORS),
    ),
    "integers-clamped": (lambda: Call(lambda x: torch.relu(x.clamp(max=4))), (WHOLE,)),
    "truth-as-integers": (lambda: Call(lambda x, y: (x > y).long() + x), (WHOLE, DIVISORS)),
    "index-computed": (
        lambda: Call(lambda x, i: x[torch.clamp(i * 2 - 1, 0, 4)]),
        (ROWS, torch.tensor([0, 1, 9])),
    ),
}
"""No real number is left in them."""

WORDS = torch.tensor([1, 2, 4, 5, 4, 3, 2, 9])

TABLES: dict[str, Case] = {
    "embedding": (lambda: torch.nn.Embedding(10, 5), (WORDS.view(2, 4),)),
    "index-select": (lambda: Call(lambda x, i: x.index_select(0, i)), (ROWS, PLACES.abs() - 1)),
    **{
        f"embedding-bag-{mode}": (
            lambda mode=mode: torch.nn.EmbeddingBag(10, 5, mode=mode, padding_idx=4),  # type: ignore[misc]
            (WORDS, torch.tensor([0, 3, 3])),
        )
        for mode in ("sum", "mean", "max")
    },
}

PLANE = DISTINCT.view(1, 2, 5, 6)

PLACES_OF_MAXIMA: dict[str, Case] = {
    "max-pool1d-indices": (
        lambda: torch.nn.MaxPool1d(3, 2, 1, return_indices=True),
        (DISTINCT,),
    ),
    "max-pool2d-indices": (
        lambda: torch.nn.MaxPool2d((2, 3), ceil_mode=True, return_indices=True),
        (PLANE,),
    ),
    "adaptive-max-pool2d-indices": (
        lambda: torch.nn.AdaptiveMaxPool2d((3, 4), return_indices=True),
        (PLANE,),
    ),
    "adaptive-max-pool3d-indices": (
        lambda: torch.nn.AdaptiveMaxPool3d((1, 2, 4), return_indices=True),
        (DISTINCT.view(1, 1, 2, 5, 6),),
    ),
}

NUMBERS: dict[str, Case] = {
    **ORDER,
    **ARITHMETIC,
    **CHOICES,
    **INDEXED,
    **INTEGERS,
    **TABLES,
    **PLACES_OF_MAXIMA,
}
