"""What a call of an operator must be given, as integers: kinds, dtypes, sizes and numbers.

The library of the executorch form makes the same words from what the runtime passes.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from enum import IntEnum

import torch

from cmsis_nn_ops import Declaration
from cortorch.forms.ir import Argument, Value, Written
from cortorch.forms.pte import DTYPES

Words = tuple[int, ...]
"""Those of one argument."""


class Kind(IntEnum):
    """First word of an argument; what follows is in the comments."""

    NONE = 0
    TENSOR = 1  # dtype, rank, sizes, strides (0 for an axis of one entry)
    TENSOR_LIST = 2  # length, then of each tensor the same
    INT = 3  # value
    BOOL = 4  # value
    FLOAT = 5  # bits of the double
    INT_LIST = 6  # length, values


_NUMBERS = {dtype: int(number) for number, dtype in DTYPES.items()}
_NAMES = {number: str(dtype).removeprefix("torch.") for dtype, number in _NUMBERS.items()}


def of_call(call: Written) -> tuple[Words, ...]:
    return tuple(_words(call.op, name, argument) for name, argument in call.arguments().items())


def _words(op: Declaration, name: str, argument: Argument) -> Words:
    match argument:
        case None:
            return (Kind.NONE,)
        case Value():
            return (Kind.TENSOR, *_tensor(argument))
        case bool():
            return Kind.BOOL, int(argument)
        case int():
            return Kind.INT, argument
        case float():
            return Kind.FLOAT, *struct.unpack("q", struct.pack("d", argument))
        case torch.dtype():
            return Kind.INT, _NUMBERS[argument]
        case list():
            return _list(op, name, argument)
    raise TypeError(f"{op.name}: {name} is a {type(argument).__name__}")


def _list(op: Declaration, name: str, items: Sequence[Value | int | float]) -> Words:
    length = len(items)
    if name in op.tensor_arguments:
        tensors = (_tensor(v) for v in items if isinstance(v, Value))
        return (Kind.TENSOR_LIST, length, *(word for words in tensors for word in words))
    return (Kind.INT_LIST, length, *(int(v) for v in items if isinstance(v, int)))


def _tensor(value: Value) -> Words:
    return (_NUMBERS[value.dtype], len(value.shape), *value.sizes, *_strides(value))


def _strides(value: Value) -> Iterator[int]:
    order = list(value.order or range(len(value.shape)))
    for axis, size in enumerate(value.sizes):
        yield math.prod(value.shape[order.index(axis) + 1 :]) if size != 1 else 0


def split(words: Sequence[int]) -> tuple[Words, ...]:
    """The words of each argument of a call."""
    return tuple(_split(iter(words)))


def _split(words: Iterator[int]) -> Iterator[Words]:
    for kind in words:
        yield kind, *_payload(Kind(kind), words)


def _payload(kind: Kind, words: Iterator[int]) -> Iterator[int]:
    if kind == Kind.TENSOR:
        yield from _tensor_words(words)
    elif kind in (Kind.INT_LIST, Kind.TENSOR_LIST):
        yield (length := next(words))
        for _ in range(length):
            if kind == Kind.INT_LIST:
                yield next(words)
            else:
                yield from _tensor_words(words)
    elif kind != Kind.NONE:
        yield next(words)


def _tensor_words(words: Iterator[int]) -> Iterator[int]:
    yield next(words)
    yield (rank := next(words))
    for _ in range(2 * rank):
        yield next(words)


def text(words: Words) -> str:
    """An argument for people: ``int8 [2, 3] by [3, 1]``, ``-128``."""
    kind, *payload = words
    match Kind(kind):
        case Kind.NONE:
            return "nothing"
        case Kind.TENSOR:
            dtype, rank, *layout = payload
            return f"{_NAMES.get(dtype, dtype)} {layout[:rank]} by {layout[rank:]}"
        case Kind.FLOAT:
            return str(struct.unpack("d", struct.pack("q", payload[0]))[0])
        case Kind.INT_LIST:
            return str(payload[1:])
        case Kind.TENSOR_LIST:
            return " and ".join(_tensor_texts(payload))
        case _:
            return str(payload[0])


def _tensor_texts(payload: Sequence[int]) -> Iterator[str]:
    words = iter(payload[1:])
    for _ in range(payload[0]):
        yield text((Kind.TENSOR, *_tensor_words(words)))
