"""What a device says about itself, typed; the fields are those of the replies in `messages`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# In the order of ct_dtype (ct.h).
DTYPES = tuple(
    np.dtype(name).newbyteorder("<")
    for name in ("int8", "uint8", "int16", "int32", "int64", "float32", "bool")
)


@dataclass(frozen=True)
class Hello:
    """The image and the session."""

    version: int
    fault: bool
    frame_bytes: int
    model_count: int
    arena_bytes: int
    board: str
    target: str


@dataclass(frozen=True)
class Tensor:
    """An input or output; scale is 0 where it is not quantized."""

    name: str
    dtype: np.dtype[np.generic]
    shape: tuple[int, ...]
    scale: float
    zero_point: int
    bytes: int


@dataclass(frozen=True)
class Model:
    """A model in the image; `index` is its place there."""

    index: int
    name: str
    target: str
    isa: int
    pte_sha256: str
    arena_bytes: int
    constant_bytes: int
    step_count: int
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


@dataclass(frozen=True)
class Step:
    """A step of a plan."""

    name: str
    kernel: str
    output_bytes: int
    output_dtype: np.dtype[np.generic]


@dataclass(frozen=True)
class Memory:
    """Memory marks. `stack_peak_bytes` is the most that was in use since the reset; both figures of
    the stack are 0 where nothing watches it (the host)."""

    stack_bytes: int
    stack_peak_bytes: int
    stack_intact: bool
    arena_bytes: int
    model_arena_bytes: int
