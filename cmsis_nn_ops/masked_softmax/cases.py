"""Test inputs of the masked softmax."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.softmax_arithmetic import INPUT_LIMIT, quantized_scale
from cmsis_nn_ops.testdata import int8


def _softmax(
    shape: tuple[int, ...], mask: tuple[int, ...], /, scale: float = 0.05, **overrides: Any
) -> Any:
    """A third of the mask's entries is left out."""
    multiplier, shift, diff_min = quantized_scale(scale)
    return lambda g: {
        "input": int8(g, shape),
        "mask": torch.rand(mask, generator=g) < 0.33,
        "dim": -1,
        "input_zero_point": 5,
        "output_zero_point": -128,
        "input_multiplier": multiplier,
        "input_shift": shift,
        "diff_min": diff_min,
        **overrides,
    }


_CAUSAL = torch.ones(6, 6, dtype=torch.bool).triu(1)
_ROWS = torch.tensor([[True], [False], [True], [False]])

CASES = [
    Case("each_entry", _softmax((3, 5, 7), (3, 5, 7))),
    Case("causal", _softmax((2, 3, 6, 6), (), mask=_CAUSAL)),
    Case("keys_of_a_batch", _softmax((2, 3, 4, 9), (2, 1, 1, 9), scale=0.2)),
    Case("keys", _softmax((4, 9), (9,))),
    Case("whole_rows", _softmax((2, 4, 5), (), mask=_ROWS)),
    Case("nothing_left", _softmax((2, 5), (), mask=torch.ones(2, 5, dtype=torch.bool))),
    Case("everything_left", _softmax((2, 5), (), mask=torch.zeros(1, 1, dtype=torch.bool))),
    Case("one_entry", _softmax((6, 1), (6, 1))),
    Case("rank_1", _softmax((11,), (11,))),
    Case("steep", _softmax((3, 50), (50,), scale=1.7)),
    Case("longest", _softmax((1, 4095), (1, 4095), scale=0.1)),
    Case("C1", _softmax((3, 10), (10,), dim=2), rejects="C1"),
    Case("C2", _softmax((1, 4096), (1,)), rejects="C2"),
    Case("C3", _softmax((3, 10), (10,), output_zero_point=0), rejects="C3"),
    Case("C4", _softmax((3, 10), (10,), input_shift=-1), rejects="C4"),
    Case("C5", _softmax((3, 10), (10,), diff_min=-(INPUT_LIMIT >> 22) - 1), rejects="C5"),
    Case("C6", _softmax((3, 10), (10,), dim=0), rejects="C6"),
    Case("C7", _softmax((3, 10), (2, 10)), rejects="C7"),
    Case("C7_dtype", _softmax((3, 10), (), mask=torch.zeros(10)), rejects="C7"),
    Case("C7_wider", _softmax((1, 10), (4, 10)), rejects="C7"),
]

BENCHMARKS = [
    Case("4_heads_32", _softmax((4, 32, 32), (1, 32, 32))),
]
