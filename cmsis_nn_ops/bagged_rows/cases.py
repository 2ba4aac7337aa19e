"""Test inputs of bags of rows."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.fixed_point import quantize_multiplier
from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _bag(
    mode: int,
    offsets: tuple[int, ...] = (0, 4, 4, 11),
    dtype: torch.dtype = torch.int64,
    factor: float = 0.7,
    /,
    **overrides: Any,
) -> Any:
    """Twenty indices into twelve rows of seven; ``factor``: scale of weight by scale of output."""
    multiplier, shift = quantize_multiplier(factor / 256)
    return lambda g: {
        "weight": int8(g, (12, 7)),
        "indices": torch.randint(0, 12, (20,), generator=g).to(dtype),
        "offsets": torch.tensor(offsets, dtype=dtype),
        "mode": mode,
        "include_last_offset": False,
        "padding_index": -1,
        "weight_zero_point": 4,
        "output_zero_point": -9,
        "output_multiplier": multiplier,
        "output_shift": shift,
        **overrides,
    }


CASES = [
    Case("sum", _bag(0)),
    Case("mean", _bag(1)),
    Case("max", _bag(2)),
    Case("mean_int32", _bag(1, (0, 1, 3), torch.int32, 1.0)),
    Case("last_offset", _bag(0, (0, 5, 20), include_last_offset=True)),
    Case("last_offset_before_the_end", _bag(1, (2, 5, 9), include_last_offset=True)),
    Case("padding", _bag(1, padding_index=3)),
    Case("empty_bag_at_the_end", _bag(2, (0, 20))),
    Case("one_bag_of_all", _bag(0, (0,), torch.int64, 0.1)),
    Case("zero_points", _bag(2, weight_zero_point=-128, output_zero_point=127)),
    Case("C1", _bag(0, weight=torch.zeros(12, 7)), rejects="C1"),
    Case("C2", _bag(0, (0,), torch.int16), rejects="C2"),
    Case("C2_no_bag", _bag(0, (0,), include_last_offset=True), rejects="C2"),
    Case("C3", _bag(3), rejects="C3"),
    Case("C4", _bag(0, padding_index=12), rejects="C4"),
    Case("C5", _bag(0, output_shift=1), rejects="C5"),
]
