"""Test inputs of the fully connected layer with one scale."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8, requantization


def _linear(input: tuple[int, ...], outputs: int, /, **overrides: Any) -> Any:
    """Arguments for an input [..., features]."""

    def make(g: torch.Generator) -> dict[str, Any]:
        multipliers, shifts = requantization(g, 1, taps=input[-1])
        args = {
            "input": int8(g, input),
            "weights": int8(g, (outputs, input[-1])),
            "bias": torch.randint(-5000, 5000, (outputs,), generator=g, dtype=torch.int32),
            "kernel_sum": None,
            "input_offset": 3,
            "filter_offset": 0,
            "output_offset": -7,
            "requantize_multipliers": multipliers.tolist(),
            "requantize_shifts": shifts.tolist(),
            "activation_max": 127,
            "activation_min": -128,
        }
        return {**args, **overrides}

    return make


def _sums(*shape: int) -> torch.Tensor:
    return torch.arange(shape[-1], dtype=torch.int32).sub(3).mul(5000).reshape(shape)


def _constant(value: int) -> torch.Tensor:
    return torch.full((4,), value, dtype=torch.int32)


CASES = [
    Case("one_row", _linear((1, 64), 10)),
    Case("rank1", _linear((16,), 4)),
    Case("rank4_odd", _linear((2, 3, 1, 13), 7)),
    Case("no_bias", _linear((3, 33), 9, bias=None)),
    Case("kernel_sum", _linear((3, 20), 6, bias=None, kernel_sum=_sums(1, 6))),
    Case("kernel_sum_rank1", _linear((2, 20), 6, bias=None, kernel_sum=_sums(6))),
    Case("offset_weights", _linear((2, 24), 8, filter_offset=128)),
    Case(
        "offset_weights_and_sums",
        _linear((2, 24), 8, filter_offset=-127, bias=None, kernel_sum=_sums(8)),
    ),
    Case("extreme_offsets", _linear((2, 24), 8, input_offset=128, output_offset=-128)),
    Case("bounds", _linear((2, 24), 8, activation_min=-7, activation_max=60)),
    Case("large_factor", _linear((2, 8), 4, requantize_shifts=[1])),
    Case("C1", _linear((2, 8), 4, weights=torch.zeros(4, 8)), rejects="C1"),
    Case("C2", _linear((2, 8), 4, input=torch.zeros(2, 9, dtype=torch.int8)), rejects="C2"),
    Case("C3", _linear((2, 8), 4, kernel_sum=_constant(0)), rejects="C3"),
    Case("C4", _linear((2, 8), 4, filter_offset=129), rejects="C4"),
    Case("C5", _linear((2, 8), 4, requantize_shifts=[0, 0]), rejects="C5"),
    Case("C6", _linear((2, 8), 4, bias=_constant(2**31 - 1)), rejects="C6"),
]
