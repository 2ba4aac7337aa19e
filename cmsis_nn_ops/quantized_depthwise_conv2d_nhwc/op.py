"""int8 depthwise convolution on explicit NHWC; the contract is in the header beside this file."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from cmsis_nn_ops import convolution
from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Foreign, Kernel, Lowering, OpDef
from cmsis_nn_ops.quantized_depthwise_conv2d_nhwc import packing_dsp, packing_mve
from cmsis_nn_ops.spatial import (
    convolve_exact,
    effective_dilation,
    is_image,
    is_window,
    pads,
    window_output_hw,
)

SCHEMA = (
    "(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, "
    "int depth_multiplier, int input_offset, int output_offset, Tensor requantize_multipliers, "
    "Tensor requantize_shifts, int activation_min, int activation_max, Tensor scratch) -> Tensor"
)


def _output_hw(a: Args) -> tuple[int, int]:
    return window_output_hw(a.input.shape, a.weight.shape[1:3], a.stride, a.padding, a.dilation)


def fake(a: Args) -> torch.Tensor:
    return a.input.new_empty((a.input.shape[0], *_output_hw(a), a.weight.shape[3]))


def _accumulate(a: Args) -> torch.Tensor:
    ohwi = a.weight.permute(3, 1, 2, 0)
    channels = a.input.shape[3]
    return convolve_exact(
        a.input, ohwi, a.bias, a.input_offset, a.stride, a.padding, a.dilation, channels
    )


def reference(a: Args) -> torch.Tensor:
    y = fp.requantize(_accumulate(a), a.requantize_multipliers, a.requantize_shifts)
    return fp.saturate_int8(y + a.output_offset, a.activation_min, a.activation_max)


def ideal(a: Args) -> torch.Tensor:
    factor = a.requantize_multipliers.double() * 2.0 ** (a.requantize_shifts.double() - 31)
    return (_accumulate(a) * factor + a.output_offset).clamp(a.activation_min, a.activation_max)


def _params(a: Args) -> dict[str, Any]:
    kernel = a.weight.shape[1:3]
    dilation = effective_dilation(kernel, a.dilation)
    top, left, _, _ = pads(a.padding)
    return {
        "batches": a.input.shape[0],
        "input_height": a.input.shape[1],
        "input_width": a.input.shape[2],
        "input_channels": a.input.shape[3],
        "output_height": a.out.shape[1],
        "output_width": a.out.shape[2],
        "depth_multiplier": a.depth_multiplier,
        "kernel_height": kernel[0],
        "kernel_width": kernel[1],
        "stride_height": a.stride[0],
        "stride_width": a.stride[1],
        "dilation_height": dilation[0],
        "dilation_width": dilation[1],
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
        lambda a: is_image(a.input) and is_image(a.weight),
    ),
    Constraint(
        "C2",
        "weight is [1, kernel height, kernel width, input channels * depth_multiplier]",
        lambda a: (
            a.weight.shape[0] == 1 and a.weight.shape[3] == a.input.shape[3] * a.depth_multiplier
        ),
    ),
    Constraint(
        "C3",
        "bias (if any), multipliers and shifts are int32 of one entry per output channel",
        lambda a: all(
            t.dtype == torch.int32 and tuple(t.shape) == (a.weight.shape[3],)
            for t in (a.bias, a.requantize_multipliers, a.requantize_shifts)
            if t is not None
        ),
    ),
    Constraint(
        "C4",
        "stride, dilation are two positive numbers; padding is two or four non-negative ones",
        lambda a: is_window(a.weight.shape[1:3], a.stride, a.padding, a.dilation),
    ),
    Constraint("C5", "the window fits into the padded input", lambda a: min(_output_hw(a)) > 0),
    Constraint(
        "C6",
        "input_offset is in -127..128; output_offset and ordered bounds are int8",
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
    Constraint(
        "C8",
        "no accumulator can leave int32, whatever the input",
        lambda a: fp.accumulators_fit(a.weight.flatten(0, 2).t(), a.bias),
    ),
)


def _lower(ctx: Any) -> torch.fx.Node:
    """``aten.convolution`` with one group per input channel.

    A single input channel is left to the general convolution, which reuses it for all outputs.
    """
    a = ctx.args
    channels = ctx.shape(a.input)[1]
    if a.transposed or a.groups == 1 or a.groups != channels:
        ctx.decline()
    return convolution.lower(ctx, partial(_call, ctx))


def _call(ctx: Any, image: torch.fx.Node, layer: convolution.Layer) -> torch.fx.Node:
    weight = layer.weight.permute(3, 1, 2, 0)
    return ctx.call(
        OP.name,
        input=image,
        weight=ctx.constant("weight", weight),
        stride=layer.stride,
        padding=layer.padding,
        dilation=layer.dilation,
        depth_multiplier=weight.shape[3] // layer.groups,
        scratch=ctx.scratch(),
        **layer.requantization,
    )


OP = OpDef(
    name="quantized_depthwise_conv2d_nhwc",
    schema=SCHEMA,
    summary="1-D and 2-D depthwise convolution, any depth multiplier, otherwise as the general one",
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
            "ct_quantized_depthwise_conv2d_nhwc",
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
    # The quantizer treats it as any convolution: that pattern stands with the general one.
    lowerings=(Lowering(targets=("aten.convolution.default",), rewrite=_lower, priority=1),),
    macs=lambda a: a.out.numel() * a.weight[0, ..., 0].numel(),
    foreign=(Foreign("quantized_depthwise_conv2d", SCHEMA, ignored=("scratch",)),),
)
