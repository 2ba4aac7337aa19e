"""Test inputs of the quantization."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case


def _quantize(
    shape: tuple[int, ...] = (2, 3, 37),
    dtype: torch.dtype = torch.int8,
    scale: float = 0.05,
    **overrides: Any,
) -> Any:
    """Normal data that fills and leaves the range of dtype; ``input`` may replace it."""

    def make(g: torch.Generator) -> dict[str, Any]:
        info = torch.iinfo(dtype)
        spread = scale * (info.max - info.min) / 4
        args = {
            "input": torch.randn(shape, generator=g) * spread,
            "scale": scale,
            "zero_point": (info.max + info.min + 1) // 2 + 3,
            "quant_min": info.min,
            "quant_max": info.max,
            "dtype": dtype,
        }
        return {**args, **overrides}

    return make


TIES = torch.arange(-300, 300, dtype=torch.float32) + 0.5
INF = float("inf")
NAN = float("nan")
TINY = (0.0, -0.0, 1e-45, -1e-39, 0.49999997, -0.50000006)
LARGE = (2.0**22, 2.0**22 + 1, 2.0**23, 2.0**31 - 128, 2.0**31, 2.0**32, 2.0**63, 3.4e38, INF)
EXTREMES = torch.tensor([*TINY, *LARGE, *(-x for x in LARGE), NAN, -NAN])

CASES = [
    Case("int8", _quantize()),
    Case("uint8", _quantize(dtype=torch.uint8)),
    Case("int16", _quantize(dtype=torch.int16, scale=3.1e-5)),
    Case("scalar", _quantize(())),
    Case("ties_to_even", _quantize(input=TIES, scale=1.0, zero_point=-1)),
    Case("extremes", _quantize(input=EXTREMES, scale=1.0, zero_point=-128)),
    Case(
        "extremes_int16", _quantize(input=EXTREMES, dtype=torch.int16, scale=0.5, zero_point=32767)
    ),
    Case("narrow_range", _quantize(quant_min=-127, zero_point=0)),
    Case("inverse_rounds_once", _quantize((4096,), scale=0.1 + 1e-9)),
    Case("smallest_scale", _quantize(input=EXTREMES, scale=2.0**-120, zero_point=0)),
    Case("largest_scale", _quantize(input=EXTREMES, scale=2.0**120, zero_point=127)),
    Case("C1", _quantize(input=torch.zeros(4, dtype=torch.int8)), rejects="C1"),
    Case("C2", _quantize(dtype=torch.int32), rejects="C2"),
    Case("C3", _quantize(input=torch.zeros(4), scale=0.0), rejects="C3"),
    Case("C4", _quantize(zero_point=128), rejects="C4"),
]

BENCHMARKS = [
    Case("image_96", _quantize((1, 3, 96, 96))),
    Case("uint8_image_32", _quantize((1, 3, 32, 32), dtype=torch.uint8)),
    Case("int16_1000", _quantize((1, 1000), dtype=torch.int16, scale=3.1e-5)),
]
