"""int8, uint8 or int16 to float32; the contract is in ``dequantize_per_tensor.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef

SCHEMA = (
    "(Tensor input, float scale, int zero_point, int quant_min, int quant_max, ScalarType dtype)"
    " -> Tensor"
)
DTYPES = (torch.int8, torch.uint8, torch.int16)
SCALE_MIN, SCALE_MAX = 2.0**-120, 2.0**110
"""Within these no output is subnormal or infinite."""


def reference(a: Args) -> torch.Tensor:
    scale = torch.tensor(a.scale, dtype=torch.float32)
    return (a.input.to(torch.float32) - a.zero_point) * scale


CONSTRAINTS = (
    Constraint("C1", "dtype is that of the input", lambda a: a.dtype == a.input.dtype),
    Constraint("C2", "dtype is int8, uint8 or int16", lambda a: a.dtype in DTYPES),
    Constraint("C3", "scale is in 2**-120..2**110", lambda a: SCALE_MIN <= a.scale <= SCALE_MAX),
    Constraint(
        "C4",
        "zero_point is in the range of dtype",
        lambda a: torch.iinfo(a.dtype).min <= a.zero_point <= torch.iinfo(a.dtype).max,
    ),
)


def _kernel(dtype: torch.dtype) -> Kernel:
    return Kernel(
        f"ct_dequantize_per_tensor_{str(dtype).removeprefix('torch.')}",
        operands=("input", "out"),
        accepts=lambda a: a.dtype == dtype,
        params=lambda a: {
            "elements": a.input.numel(),
            "scale": a.scale,
            "zero_point": a.zero_point,
        },
    )


def _lower(ctx: Any) -> torch.fx.Node:
    arguments = dict(vars(ctx.args))
    if arguments.pop("out_dtype", None) not in (None, torch.float32):
        ctx.reject("only float32 results have a kernel")
    return ctx.call(OP.name, **arguments)


OP = OpDef(
    name="dequantize_per_tensor",
    schema=SCHEMA,
    summary="int8, uint8, int16 to float32",
    fake=lambda a: a.input.new_empty(a.input.shape, dtype=torch.float32),
    reference=reference,
    constraints=CONSTRAINTS,
    kernels=tuple(_kernel(dtype) for dtype in DTYPES),
    lowerings=(
        Lowering(
            targets=("quantized_decomposed.dequantize_per_tensor.default",),
            rewrite=_lower,
            needs_quantization=False,
        ),
    ),
    permuted=lambda a, perm: {},
)
