"""Test inputs of the fully connected layer."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8, requantization


def _linear(input: tuple[int, ...], outputs: int, /, **overrides: Any) -> Any:
    """Arguments for an input [..., features]."""

    def make(g: torch.Generator) -> dict[str, Any]:
        multipliers, shifts = requantization(g, outputs, taps=input[-1])
        args = {
            "input": int8(g, input),
            "weight": int8(g, (outputs, input[-1])).clamp(min=-127),  # as quantizers make them
            "bias": torch.randint(-5000, 5000, (outputs,), generator=g, dtype=torch.int32),
            "input_offset": 3,
            "output_offset": -7,
            "requantize_multipliers": multipliers,
            "requantize_shifts": shifts,
            "activation_min": -128,
            "activation_max": 127,
        }
        return {**args, **overrides}

    return make


def _weights(value: int, shape: tuple[int, int]) -> torch.Tensor:
    return torch.full(shape, value, dtype=torch.int8)


def _constant(value: int) -> torch.Tensor:
    return torch.full((4,), value, dtype=torch.int32)


def _shifts(*shifts: int) -> torch.Tensor:
    return torch.tensor(shifts, dtype=torch.int32)


def _extremes(outputs: int, features: int) -> dict[str, Any]:
    """Weights and zero points at the ends of their range, alternating by output."""
    weight = torch.full((outputs, features), -128, dtype=torch.int8)
    weight[::2] = 127
    return {"weight": weight, "input_offset": 128}


CASES = [
    Case("one_row", _linear((1, 64), 10)),
    Case("odd_features", _linear((1, 37), 5)),
    Case("one_input_one_output", _linear((1, 1), 1)),
    Case("rank1", _linear((16,), 4)),
    Case("rows", _linear((5, 19), 7)),
    Case("rank4", _linear((2, 3, 2, 16), 12)),
    Case("wide", _linear((2, 640), 128)),
    Case("no_bias", _linear((3, 33), 9, bias=None)),
    Case("relu_bounds", _linear((2, 24), 8, activation_min=-7, activation_max=60)),
    Case("extreme_offsets", _linear((2, 24), 8, input_offset=128, output_offset=-128)),
    Case("other_extreme_offsets", _linear((2, 24), 8, input_offset=-127, output_offset=127)),
    Case(
        "dead_channels",
        _linear((2, 8), 4, requantize_multipliers=_constant(0), requantize_shifts=_constant(0)),
    ),
    # One row, four outputs at a time, and the fours that overlap; pairs of outputs otherwise.
    Case("one_row_odd_outputs", _linear((1, 48), 7)),
    Case("one_row_five_vectors", _linear((80,), 6)),
    Case("one_row_two_outputs", _linear((1, 96), 2)),
    Case("three_rows", _linear((3, 40), 3)),
    Case("two_passes", _linear((100, 16), 5)),
    Case("many_copied_rows", _linear((9, 2), 4)),
    Case("extreme_weights", _linear((1, 300), 4, **_extremes(4, 300))),
    Case("extreme_weights_rows", _linear((5, 300), 4, **_extremes(4, 300))),
    Case("one_row_six_outputs", _linear((1, 20), 6)),
    Case("four_rows_three_steps", _linear((4, 11), 7)),
    Case("bounds_of_an_odd_size", _linear((3, 12), 5, activation_min=-50, activation_max=-2)),
    # Weights that cannot share halfwords; one output.
    Case("lowest_weights", _linear((4, 21), 6, weight=_weights(-128, (6, 21)))),
    Case("too_large_sums", _linear((1, 600), 4, weight=_weights(127, (4, 600)))),
    Case("one_output", _linear((7, 30), 1)),
    Case("large_factors", _linear((3, 8), 5, requantize_shifts=_shifts(0, -1, 3, -9, 1))),
    Case("smallest_factors", _linear((1, 8), 4, requantize_shifts=_shifts(-31, -30, -1, -2))),
    Case("C1", _linear((2, 8), 4, weight=torch.zeros(4, 8)), rejects="C1"),
    Case("C2", _linear((2, 8), 4, input=torch.zeros(2, 9, dtype=torch.int8)), rejects="C2"),
    Case("C3", _linear((2, 8), 4, bias=torch.zeros(1, dtype=torch.int32)), rejects="C3"),
    Case("C4", _linear((2, 8), 4, output_offset=128), rejects="C4"),
    Case("C5", _linear((2, 8), 4, requantize_shifts=_constant(-32)), rejects="C5"),
    Case("C6", _linear((2, 8), 4, bias=_constant(-(2**31))), rejects="C6"),
]

BENCHMARKS = [
    Case("640_to_128", _linear((1, 640), 128)),
    Case("128_to_128", _linear((1, 128), 128)),
    Case("64_to_12", _linear((1, 64), 12)),
    Case("128_lowest_weights", _linear((1, 128), 128, weight=_weights(-128, (128, 128)))),
    Case("32_rows_64_to_64", _linear((32, 64), 64)),
]
