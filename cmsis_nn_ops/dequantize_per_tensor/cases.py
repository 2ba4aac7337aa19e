"""Test inputs of the dequantization."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case


def _dequantize(
    shape: tuple[int, ...] = (2, 3, 37), dtype: torch.dtype = torch.int8, **overrides: Any
) -> Any:
    def make(g: torch.Generator) -> dict[str, Any]:
        info = torch.iinfo(dtype)
        args = {
            "input": torch.randint(info.min, info.max + 1, shape, generator=g, dtype=dtype),
            "scale": 0.0123456789,
            "zero_point": info.min + 5,
            "quant_min": info.min,
            "quant_max": info.max,
            "dtype": dtype,
        }
        return {**args, **overrides}

    return make


EVERY_INT8 = torch.arange(-128, 128, dtype=torch.int8)

CASES = [
    Case("int8", _dequantize()),
    Case("uint8", _dequantize(dtype=torch.uint8)),
    Case("int16", _dequantize(dtype=torch.int16)),
    Case("scalar", _dequantize(())),
    Case("every_int8", _dequantize(input=EVERY_INT8, zero_point=-128, scale=1 / 3)),
    Case("every_int8_top", _dequantize(input=EVERY_INT8, zero_point=127, scale=0.1)),
    Case("int16_ends", _dequantize((999,), torch.int16, zero_point=32767)),
    Case("smallest_scale", _dequantize(input=EVERY_INT8, scale=2.0**-120)),
    Case("largest_scale", _dequantize((999,), torch.int16, scale=2.0**110)),
    Case("C1", _dequantize(dtype=torch.int16, input=EVERY_INT8), rejects="C1"),
    Case("C2", _dequantize(dtype=torch.int32), rejects="C2"),
    Case("C3", _dequantize(scale=2.0**-121), rejects="C3"),
    Case("C4", _dequantize(zero_point=-129), rejects="C4"),
]

BENCHMARKS = [
    Case("int8_1000", _dequantize((1, 1000))),
    Case("uint8_1000", _dequantize((1, 1000), dtype=torch.uint8)),
    Case("int16_1000", _dequantize((1, 1000), dtype=torch.int16)),
]
