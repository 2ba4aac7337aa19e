"""Test inputs of average pooling."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8


def _pool(
    input: tuple[int, ...],
    kernel: tuple[int, int],
    stride: tuple[int, int],
    /,
    padding: tuple[int, ...] = (0, 0),
    **overrides: Any,
) -> Any:
    """Arguments for an input [N,H,W,C]."""

    def make(g: torch.Generator) -> dict[str, Any]:
        args = {
            "input": int8(g, input),
            "kernel_size": list(kernel),
            "stride": list(stride),
            "padding": list(padding),
            "ceil_mode": False,
            "zero_point": 4,
            "multiplier": 2**30,
            "shift": -5,
            "scratch": torch.empty(1, dtype=torch.int8),
        }
        return {**args, **overrides}

    return make


def _full(value: int) -> torch.Tensor:
    return torch.full((1, 4, 4, 3), value, dtype=torch.int8)


_SMALL = (1, 5, 5, 4)

CASES = [
    Case("2x2", _pool((1, 8, 6, 16), (2, 2), (2, 2))),
    Case("3x3_stride2_padded", _pool((1, 9, 8, 5), (3, 3), (2, 2), padding=(1, 1))),
    Case("overlapping_odd_channels", _pool((1, 6, 7, 13), (3, 2), (1, 1))),
    Case("asymmetric", _pool((1, 6, 6, 3), (3, 3), (2, 2), padding=(0, 0, 1, 1))),
    Case("ceil_mode", _pool((1, 6, 7, 4), (3, 2), (2, 2), ceil_mode=True)),
    Case("ceil_mode_padded", _pool((1, 5, 6, 4), (2, 3), (2, 2), padding=(1, 1), ceil_mode=True)),
    Case("window_beyond_input", _pool((1, 3, 2, 4), (4, 3), (2, 2), ceil_mode=True)),
    Case("batch", _pool((3, 4, 5, 17), (2, 2), (2, 2))),
    Case("global", _pool((1, 7, 5, 9), (7, 5), (7, 5))),
    Case("long", _pool((2, 1000, 1, 3), (1000, 1), (1000, 1))),
    Case("ties", _pool((1, 16, 16, 1), (1, 2), (1, 2))),
    Case("lowest", _pool((1, 4, 4, 3), (2, 2), (2, 2), input=_full(-128))),
    Case("highest", _pool((1, 4, 4, 3), (3, 3), (1, 1), input=_full(127))),
    Case("C1", _pool(_SMALL, (2, 2), (2, 2), input=torch.zeros(5, 5, 4)), rejects="C1"),
    Case("C2", _pool(_SMALL, (2, 2), (0, 2)), rejects="C2"),
    Case("C3", _pool(_SMALL, (2, 2), (2, 2), padding=(2, 2)), rejects="C3"),
    Case("C3_too_large", _pool(_SMALL, (6, 2), (2, 2)), rejects="C3"),
    Case("C4", _pool(_SMALL, (4096, 4096), (1, 1), padding=(2048, 2048)), rejects="C4"),
]

BENCHMARKS = [
    Case("global_7", _pool((1, 7, 7, 128), (7, 7), (1, 1))),
    Case("2x2", _pool((1, 32, 32, 16), (2, 2), (2, 2))),
]
