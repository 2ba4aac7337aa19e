"""Test inputs of conversions."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case

DTYPES = (torch.int8, torch.uint8, torch.bool, torch.int32, torch.int64, torch.float32)
WHOLE = torch.tensor([0, 1, -1, 127, -128, 200, 2**24 + 1, 2**31 - 1, -(2**31), 2**62 + 2**38 + 1])
LARGE = (3e9, -3e9, 2.0**63, -1e30, torch.inf, -torch.inf, torch.nan)
REAL = torch.tensor([0.0, -0.0, 0.5, -1.5, 127.9, -129.0, 300.0, 1e-40, *LARGE])


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _cast(source: torch.dtype, dtype: torch.dtype, **overrides: Any) -> Any:
    values = REAL if source == torch.float32 else WHOLE.to(source)
    return lambda g: {"input": values, "dtype": dtype, **overrides}


CASES = [
    *(
        Case(f"{_name(source)}_to_{_name(dtype)}", _cast(source, dtype))
        for source in DTYPES
        for dtype in DTYPES
        if source != dtype
    ),
    Case("C1", _cast(torch.float64, torch.int8), rejects="C1"),
    Case("C2", _cast(torch.int32, torch.int32), rejects="C2"),
    Case("C2_int16", _cast(torch.int32, torch.int16), rejects="C2"),
]
