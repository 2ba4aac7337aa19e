"""int8 2-D convolution on explicit NHWC, any groups; the contract is in
``quantized_conv2d_nhwc.h``."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from cmsis_nn_ops import convolution
from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Foreign, Kernel, Lowering, OpDef, Pattern
from cmsis_nn_ops.quantized_conv2d_nhwc import packing_dsp, packing_mve
from cmsis_nn_ops.spatial import UINT16_MAX, convolve_exact, pads, window_output_hw

SCHEMA = (
    "(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int "
    "input_offset, "
    "int output_offset, Tensor requantize_multipliers, Tensor requantize_shifts, int "
    "activation_min, "
    "int activation_max, Tensor scratch) -> Tensor"
)


def _groups(a: Args) -> int:
    return int(a.input.shape[3] // a.weight.shape[3])


def fake(a: Args) -> torch.Tensor:
    height, width = window_output_hw(
        a.input.shape, a.weight.shape[1:3], a.stride, a.padding, a.dilation
    )
    return a.input.new_empty((a.input.shape[0], height, width, a.weight.shape[0]))


def _accumulate(a: Args) -> torch.Tensor:
    return convolve_exact(
        a.input, a.weight, a.bias, a.input_offset, a.stride, a.padding, a.dilation, _groups(a)
    )


def reference(a: Args) -> torch.Tensor:
    y = (
        fp.requantize(_accumulate(a), a.requantize_multipliers, a.requantize_shifts)
        + a.output_offset
    )
    return fp.saturate_int8(y, a.activation_min, a.activation_max)


def ideal(a: Args) -> torch.Tensor:
    factor = a.requantize_multipliers.double() * 2.0 ** (a.requantize_shifts.double() - 31)
    return (_accumulate(a) * factor + a.output_offset).clamp(a.activation_min, a.activation_max)


def _params(a: Args) -> dict[str, Any]:
    top, left, _, _ = pads(a.padding)
    return {
        "batches": a.input.shape[0],
        "input_height": a.input.shape[1],
        "input_width": a.input.shape[2],
        "input_channels": a.input.shape[3],
        "output_height": a.out.shape[1],
        "output_width": a.out.shape[2],
        "output_channels": a.out.shape[3],
        "kernel_height": a.weight.shape[1],
        "kernel_width": a.weight.shape[2],
        "groups": _groups(a),
        "stride_height": a.stride[0],
        "stride_width": a.stride[1],
        "dilation_height": a.dilation[0],
        "dilation_width": a.dilation[1],
        "pad_top": top,
        "pad_left": left,
        "input_offset": a.input_offset,
        "output_offset": a.output_offset,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
    }


CONSTRAINTS = (
    Constraint(
        "C1",
        "input, weight are int8 of rank 4; batch, height, width and channels fit 16 bits",
        lambda a: all(
            t.dtype == torch.int8
            and t.dim() == 4
            and max(t.shape) <= UINT16_MAX
            and min(t.shape) > 0
            for t in (a.input, a.weight)
        ),
    ),
    Constraint(
        "C2",
        "input channels are a multiple of the weight's, output channels of the groups",
        lambda a: a.input.shape[3] % a.weight.shape[3] == 0 and a.weight.shape[0] % _groups(a) == 0,
    ),
    Constraint(
        "C3",
        "bias (if any), multipliers and shifts are int32 of one entry per output channel",
        lambda a: all(
            t.dtype == torch.int32 and tuple(t.shape) == (a.weight.shape[0],)
            for t in (a.bias, a.requantize_multipliers, a.requantize_shifts)
            if t is not None
        ),
    ),
    Constraint(
        "C4",
        "stride, dilation are two positive numbers; padding is two or four non-negative ones",
        lambda a: (
            len(a.stride) == len(a.dilation) == 2
            and len(a.padding) in (2, 4)
            and min(*a.stride, *a.dilation) > 0
            and min(a.padding) >= 0
        ),
    ),
    Constraint(
        "C5",
        "the window fits into the padded input",
        lambda a: (
            min(
                window_output_hw(
                    a.input.shape, a.weight.shape[1:3], a.stride, a.padding, a.dilation
                )
            )
            > 0
        ),
    ),
    Constraint(
        "C6",
        "input_offset is in -127..128, output_offset in -128..127, activation_min <= "
        "activation_max, both int8",
        lambda a: (
            -127 <= a.input_offset <= 128
            and -128 <= a.output_offset <= 127
            and -128 <= a.activation_min <= a.activation_max <= 127
        ),
    ),
    Constraint(
        "C7",
        "multipliers are non-negative, shifts are in -31..30",
        lambda a: (
            int(a.requantize_multipliers.min()) >= 0
            and int(a.requantize_shifts.min()) >= -31
            and int(a.requantize_shifts.max()) <= 30
        ),
    ),
)


def _lower(ctx: Any) -> torch.fx.Node:
    """``aten.convolution`` of one or two dimensions, not transposed."""
    if ctx.args.transposed:
        ctx.decline()
    return convolution.lower(ctx, partial(_call, ctx))


def _call(ctx: Any, image: torch.fx.Node, layer: convolution.Layer) -> torch.fx.Node:
    return ctx.call(
        OP.name,
        input=image,
        weight=ctx.constant("weight", layer.weight),
        stride=layer.stride,
        padding=layer.padding,
        dilation=layer.dilation,
        scratch=ctx.scratch(),
        **layer.requantization,
    )


OP = OpDef(
    name="quantized_conv2d_nhwc",
    schema=SCHEMA,
    summary="1-D and 2-D convolution, any groups, dilation, asymmetric padding, fused activation",
    fake=fake,
    reference=reference,
    ideal=ideal,
    constants=("weight", "bias", "requantize_multipliers", "requantize_shifts"),
    ignored=("scratch",),
    constraints=CONSTRAINTS,
    kernels=(
        *packing_mve.MVE,
        *packing_dsp.DSP,
        Kernel(
            "ct_quantized_conv2d_nhwc",
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
            targets=("aten.conv1d.default", "aten.conv2d.default"),
            weight="weight",
            bias="bias",
            fuses_activation=True,
        ),
    ),
    lowerings=(Lowering(targets=("aten.convolution.default",), rewrite=_lower),),
    macs=lambda a: a.out.numel() * a.weight[0].numel(),
    foreign=(Foreign("quantized_conv2d", SCHEMA, ignored=("scratch",)),),
)
