"""float32 to int8, uint8 or int16; the contract is in ``quantize_per_tensor.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef
from cortorch.target import Isa

SCHEMA = (
    "(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype)"
    " -> Tensor"
)
DTYPES = (torch.int8, torch.uint8, torch.int16)
SCALE_MIN, SCALE_MAX = 2.0**-120, 2.0**120
"""Within these, subnormal inputs quantize to the zero point: hardware may flush them or not."""


def _inverse_scale(scale: float) -> float:
    """The float32 factor that PyTorch multiplies with: 1/scale in double, rounded once."""
    return float(torch.tensor(1.0 / scale, dtype=torch.float32))


def reference(a: Args) -> torch.Tensor:
    steps = torch.round(a.input * _inverse_scale(a.scale))
    stored = steps.double().nan_to_num(nan=0.0) + a.zero_point
    return stored.clamp(a.quant_min, a.quant_max).to(a.dtype)


def ideal(a: Args) -> torch.Tensor:
    steps = (a.input.double() / a.scale).nan_to_num(nan=0.0)
    return (steps + a.zero_point).clamp(a.quant_min, a.quant_max)


CONSTRAINTS = (
    Constraint("C1", "input is float32", lambda a: a.input.dtype == torch.float32),
    Constraint("C2", "dtype is int8, uint8 or int16", lambda a: a.dtype in DTYPES),
    Constraint("C3", "scale is in 2**-120..2**120", lambda a: SCALE_MIN <= a.scale <= SCALE_MAX),
    Constraint(
        "C4",
        "quant_min <= zero_point <= quant_max, within the range of dtype",
        lambda a: (
            torch.iinfo(a.dtype).min <= a.quant_min <= a.zero_point
            and a.zero_point <= a.quant_max <= torch.iinfo(a.dtype).max
        ),
    ),
)


def _kernel(dtype: torch.dtype, isa: Isa = Isa.SCALAR) -> Kernel:
    variant = f"_{isa.name.lower()}" if isa != Isa.SCALAR else ""
    return Kernel(
        f"ct_quantize_per_tensor_{str(dtype).removeprefix('torch.')}{variant}",
        operands=("input", "out"),
        isa=isa,
        accepts=lambda a: a.dtype == dtype,
        params=lambda a: {
            "elements": a.input.numel(),
            "inverse_scale": _inverse_scale(a.scale),
            "zero_point": a.zero_point,
            "quant_min": a.quant_min,
            "quant_max": a.quant_max,
        },
    )


def _lower(ctx: Any) -> torch.fx.Node:
    return ctx.call(OP.name, **vars(ctx.args))


OP = OpDef(
    name="quantize_per_tensor",
    schema=SCHEMA,
    summary="float32 to int8, uint8, int16; rounds half to even, saturates, NaN becomes zero",
    fake=lambda a: a.input.new_empty(a.input.shape, dtype=a.dtype),
    reference=reference,
    ideal=ideal,
    float_error_lsb=0.51,
    constraints=CONSTRAINTS,
    kernels=(
        _kernel(torch.int8, Isa.MVE),
        _kernel(torch.int8, Isa.DSP),
        *(_kernel(dtype) for dtype in DTYPES),
    ),
    lowerings=(
        Lowering(
            targets=("quantized_decomposed.quantize_per_tensor.default",),
            rewrite=_lower,
            needs_quantization=False,
        ),
    ),
    permuted=lambda a, perm: {},
)
