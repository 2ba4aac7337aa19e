"""Test inputs of normalization."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _norm(shape: tuple[int, int, int], groups: int = 1, /, **overrides: Any) -> Any:
    """Weights around 1 and small biases, for an output scale of 1/32."""

    def make(g: torch.Generator) -> dict[str, Any]:
        channels = shape[2]
        args = {
            "input": int8(g, shape),
            "weight": torch.randint(-(2**31) + 1, 2**31, (channels,), generator=g).int(),
            "bias": torch.randint(-(2**22), 2**22, (channels,), generator=g).int(),
            "groups": groups,
            "centered": True,
            "input_zero_point": 5,
            "output_zero_point": -3,
            "epsilon": 40,
            "output_bits": _bits(shape, groups),
            "activation_min": -128,
            "activation_max": 127,
        }
        return {**args, **overrides}

    return make


def _bits(shape: tuple[int, int, int], groups: int) -> int:
    """Random data, normalized, fill the int8 range: 2**normalized_bits is about one."""
    count = shape[1] * shape[2] // groups
    return 24 - ((count - 1).bit_length() + 1) // 2


def _constant(value: int, *shape: int) -> torch.Tensor:
    return torch.full(shape, value, dtype=torch.int8)


def _int32(value: int, length: int) -> torch.Tensor:
    return torch.full((length,), value, dtype=torch.int32)


def _steps() -> torch.Tensor:
    """Lines of small and of large spread."""
    return torch.stack([torch.arange(16) // n for n in (1, 3, 15, 16)]).to(torch.int8)


def _extremes() -> torch.Tensor:
    """One value far from all others, at either end."""
    x = torch.tensor([[127] + [-128] * 7, [-128] + [127] * 7], dtype=torch.int8)
    return x.unsqueeze(1)


_LARGEST = {"weight": _int32(2**31 - 1, 8), "bias": _int32(2**30, 8)}
_SMALLEST = {"weight": _int32(-(2**31) + 1, 8), "bias": _int32(-(2**30), 8)}

CASES = [
    Case("layer", _norm((5, 1, 24))),
    Case("layer_odd", _norm((3, 1, 37))),
    Case("layer_long", _norm((2, 1, 1000))),
    Case("rms", _norm((5, 1, 24), centered=False)),
    Case("rms_lowest_zero_point", _norm((5, 1, 24), centered=False, input_zero_point=-128)),
    Case("bounds", _norm((3, 2, 11), activation_min=-3, activation_max=40)),
    Case("groups", _norm((2, 12, 6), 3)),
    Case("instances", _norm((2, 30, 5), 5)),
    Case("instances_of_one_pixel", _norm((2, 1, 5), 5)),
    Case("one_value_rms", _norm((7, 1, 1), centered=False)),
    Case("constant_lines", _norm((2, 1, 9), input=_constant(77, 2, 1, 9), epsilon=0)),
    Case("small_steps", _norm((4, 1, 16), input=_steps().unsqueeze(1), epsilon=0)),
    Case("spread_of_one", _norm((1, 1, 2), input=_constant(-1, 1, 1, 2), centered=False)),
    Case("extremes", _norm((2, 1, 8), input=_extremes())),
    Case("largest_epsilon", _norm((2, 1, 8), epsilon=2**61)),
    Case("large_epsilon", _norm((2, 1, 8), epsilon=2**40, output_bits=3)),
    Case("large_count", _norm((1, 1024, 60), 2, input_zero_point=127, centered=False)),
    Case("largest_constants", _norm((2, 1, 8), **_LARGEST, output_bits=30)),
    Case("smallest_constants", _norm((2, 1, 8), **_SMALLEST, output_bits=1)),
    Case("C1", _norm((2, 0, 8)), rejects="C1"),
    Case("C2", _norm((2, 1, 8), groups=3), rejects="C2"),
    Case("C3", _norm((2, 1, 8), bias=_int32(0, 7)), rejects="C3"),
    Case("C4", _norm((2, 1, 8), output_bits=31), rejects="C4"),
    Case("C5", _norm((2, 1, 8), bias=_int32(2**30 + 1, 8)), rejects="C5"),
]

BENCHMARKS = [
    Case("layer_32x128", _norm((32, 1, 128))),
]
