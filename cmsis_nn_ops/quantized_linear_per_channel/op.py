"""int8 fully connected layer, per-channel scales; the contract is in the header beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern
from cmsis_nn_ops.quantized_linear_per_channel import packing_dsp, packing_mve
from cmsis_nn_ops.spatial import UINT16_MAX

SCHEMA = (
    "(Tensor input, Tensor weight, Tensor? bias, int input_offset, int output_offset, "
    "Tensor requantize_multipliers, Tensor requantize_shifts, int activation_min, "
    "int activation_max) -> Tensor"
)


def fake(a: Args) -> torch.Tensor:
    return a.input.new_empty((*a.input.shape[:-1], a.weight.shape[0]))


def _accumulate(a: Args) -> torch.Tensor:
    """Integer accumulators as int64; float64 is exact here: |sum| < 2**53."""
    x = a.input.to(torch.float64) + a.input_offset
    acc = (x @ a.weight.to(torch.float64).t()).to(torch.int64)
    return acc if a.bias is None else acc + a.bias.to(torch.int64)


def reference(a: Args) -> torch.Tensor:
    y = fp.requantize(_accumulate(a), a.requantize_multipliers, a.requantize_shifts)
    return fp.saturate_int8(y + a.output_offset, a.activation_min, a.activation_max)


def ideal(a: Args) -> torch.Tensor:
    factor = a.requantize_multipliers.double() * 2.0 ** (a.requantize_shifts.double() - 31)
    return (_accumulate(a) * factor + a.output_offset).clamp(a.activation_min, a.activation_max)


def _params(a: Args) -> dict[str, Any]:
    return {
        "rows": a.input.numel() // a.input.shape[-1],
        "input_features": a.weight.shape[1],
        "output_features": a.weight.shape[0],
        "input_offset": a.input_offset,
        "output_offset": a.output_offset,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
    }


CONSTRAINTS = (
    Constraint(
        "C1",
        "input is int8 of rank 1 or more, weight is int8 of rank 2 with 1..65535 rows and columns",
        lambda a: (
            a.input.dtype == a.weight.dtype == torch.int8
            and a.input.dim() >= 1
            and a.weight.dim() == 2
            and min(a.weight.shape) > 0
            and max(a.weight.shape) <= UINT16_MAX
        ),
    ),
    Constraint(
        "C2",
        "the input's last dimension is the weight's number of columns; no dimension is 0",
        lambda a: a.input.shape[-1] == a.weight.shape[1] and a.input.numel() > 0,
    ),
    Constraint(
        "C3",
        "bias (if any), multipliers and shifts are int32 of one entry per output feature",
        lambda a: all(
            t.dtype == torch.int32 and tuple(t.shape) == (a.weight.shape[0],)
            for t in (a.bias, a.requantize_multipliers, a.requantize_shifts)
            if t is not None
        ),
    ),
    Constraint(
        "C4",
        "input_offset is in -127..128; output_offset and ordered bounds are int8",
        lambda a: (
            -127 <= a.input_offset <= 128
            and -128 <= a.output_offset <= 127
            and -128 <= a.activation_min <= a.activation_max <= 127
        ),
    ),
    Constraint(
        "C5",
        "multipliers are non-negative, shifts are in -31..30",
        lambda a: (
            int(a.requantize_multipliers.min()) >= 0
            and int(a.requantize_shifts.min()) >= -31
            and int(a.requantize_shifts.max()) <= 30
        ),
    ),
    Constraint(
        "C6",
        "no accumulator can leave int32, whatever the input",
        lambda a: fp.accumulators_fit(a.weight, a.bias),
    ),
)


def _permuted(_: Args, perm: tuple[int, ...]) -> Mapping[str, Any]:
    if perm[-1] != len(perm) - 1:
        raise LookupError("a linear layer works along the last dimension, which must stay in place")
    return {}


def _lower(ctx: Any) -> torch.fx.Node:
    """``aten.linear`` with constant weights."""
    channel = ctx.channel_quantization()
    return ctx.call(
        OP.name,
        input=ctx.args.input,
        weight=ctx.constant("weight", channel.weight),
        bias=ctx.constant("bias", channel.bias),
        input_offset=-ctx.quant("input").zero_point,
        output_offset=ctx.out.zero_point,
        requantize_multipliers=ctx.constant("multiplier", channel.multiplier),
        requantize_shifts=ctx.constant("shift", channel.shift),
        activation_min=ctx.activation_min,
        activation_max=ctx.activation_max,
    )


OP = OpDef(
    name="quantized_linear_per_channel",
    schema=SCHEMA,
    summary="Fully connected layer on any rank, one scale per output, fused activation",
    fake=fake,
    reference=reference,
    ideal=ideal,
    constants=("weight", "bias", "requantize_multipliers", "requantize_shifts"),
    constraints=CONSTRAINTS,
    kernels=(
        *packing_mve.MVE,
        *packing_dsp.DSP,
        Kernel(
            "ct_quantized_linear_per_channel",
            operands=(
                "input",
                "weight",
                "bias",
                "requantize_multipliers",
                "requantize_shifts",
                "out",
            ),
            params=_params,
        ),
    ),
    patterns=(
        Pattern(
            targets=("aten.linear.default",),
            weight="weight",
            bias="bias",
            fuses_activation=True,
        ),
    ),
    lowerings=(Lowering(targets=("aten.linear.default",), rewrite=_lower),),
    preserve=("aten.linear.default",),
    permuted=_permuted,
    absorbs_reorder=lambda a, order: {"weight": a.weight[:, order]},
    macs=lambda a: a.out.numel() * a.weight.shape[1],
)
