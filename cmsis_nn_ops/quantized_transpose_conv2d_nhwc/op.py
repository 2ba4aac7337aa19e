"""int8 transposed convolution on explicit NHWC; the contract is in the header beside this file."""

from __future__ import annotations

from functools import partial
from math import gcd
from typing import Any

import torch
import torch.nn.functional as F

from cmsis_nn_ops import convolution
from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Foreign, Kernel, Lowering, OpDef, Pattern
from cmsis_nn_ops.spatial import UINT16_MAX, effective_dilation, is_image, is_window

SCHEMA = (
    "(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, "
    "int[] output_padding, int[] dilation, int input_offset, int output_offset, "
    "Tensor requantize_multipliers, Tensor requantize_shifts, int activation_min, "
    "int activation_max, Tensor scratch, Tensor output_scratch) -> Tensor"
)


def _groups(a: Args) -> int:
    return int(a.input.shape[3] // a.weight.shape[3])


def _output_hw(a: Args) -> tuple[int, int]:
    dilation = effective_dilation(a.weight.shape[1:3], a.dilation)
    height, width = (
        (size - 1) * s - 2 * p + d * (k - 1) + extra + 1
        for size, s, p, d, k, extra in zip(
            a.input.shape[1:3],
            a.stride,
            a.padding,
            dilation,
            a.weight.shape[1:3],
            a.output_padding,
            strict=True,
        )
    )
    return height, width


def fake(a: Args) -> torch.Tensor:
    return a.input.new_empty((a.input.shape[0], *_output_hw(a), a.weight.shape[0]))


def _accumulate(a: Args) -> torch.Tensor:
    """Exact: computed in float64, and |sum| < 2**53."""
    x = (a.input.double() + a.input_offset).permute(0, 3, 1, 2)
    weight = convolution.swap_channels(a.weight.double().permute(0, 3, 1, 2), _groups(a))
    # ATen wants an output padding below stride or dilation; more of it is more zeros at the end.
    sums = F.conv_transpose2d(
        x, weight, None, a.stride, groups=_groups(a), dilation=tuple(a.dilation)
    )
    height, width = _output_hw(a)
    top, left = a.padding
    sums = F.pad(sums, (-left, width + left - sums.shape[3], -top, height + top - sums.shape[2]))
    acc = sums.permute(0, 2, 3, 1).round().to(torch.int64)
    return acc if a.bias is None else acc + a.bias.to(torch.int64)


def reference(a: Args) -> torch.Tensor:
    y = fp.requantize(_accumulate(a), a.requantize_multipliers, a.requantize_shifts)
    return fp.saturate_int8(y + a.output_offset, a.activation_min, a.activation_max)


def ideal(a: Args) -> torch.Tensor:
    factor = a.requantize_multipliers.double() * 2.0 ** (a.requantize_shifts.double() - 31)
    return (_accumulate(a) * factor + a.output_offset).clamp(a.activation_min, a.activation_max)


def _params(a: Args) -> dict[str, Any]:
    kernel = a.weight.shape[1:3]
    dilation = effective_dilation(kernel, a.dilation)
    steps = [s // gcd(s, d) for s, d in zip(a.stride, dilation, strict=True)]
    return {
        "batches": a.input.shape[0],
        "input_height": a.input.shape[1],
        "input_width": a.input.shape[2],
        "input_channels": a.input.shape[3],
        "output_height": a.out.shape[1],
        "output_width": a.out.shape[2],
        "output_channels": a.out.shape[3],
        "kernel_height": kernel[0],
        "kernel_width": kernel[1],
        "groups": _groups(a),
        "stride_height": a.stride[0],
        "stride_width": a.stride[1],
        "dilation_height": dilation[0],
        "dilation_width": dilation[1],
        "tap_step_height": steps[0],
        "tap_step_width": steps[1],
        "pad_top": a.padding[0],
        "pad_left": a.padding[1],
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
        "stride, dilation are two positive numbers; padding, output_padding two non-negative ones",
        lambda a: (
            is_window(a.weight.shape[1:3], a.stride, a.padding, a.dilation)
            and len(a.padding) == len(a.output_padding) == 2
            and min(a.output_padding) >= 0
        ),
    ),
    Constraint(
        "C5",
        "the output is not empty and its sizes fit 16 bits",
        lambda a: min(_output_hw(a)) > 0 and max(_output_hw(a)) <= UINT16_MAX,
    ),
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
        lambda a: fp.accumulators_fit(a.weight.flatten(1), a.bias),
    ),
)


def _lower(ctx: Any) -> torch.fx.Node:
    """``aten.convolution`` of one or two dimensions, transposed."""
    if not ctx.args.transposed:
        ctx.decline()
    return convolution.lower(ctx, partial(_call, ctx))


def _call(ctx: Any, image: torch.fx.Node, layer: convolution.Layer) -> torch.fx.Node:
    return ctx.call(
        OP.name,
        input=image,
        weight=ctx.constant("weight", layer.weight),
        stride=layer.stride,
        padding=layer.padding,
        output_padding=layer.output_padding,
        dilation=layer.dilation,
        scratch=ctx.scratch(),
        output_scratch=ctx.scratch(),
        **layer.requantization,
    )


OP = OpDef(
    name="quantized_transpose_conv2d_nhwc",
    schema=SCHEMA,
    summary="1-D and 2-D transposed convolution, any groups, dilation, fused activation",
    fake=fake,
    reference=reference,
    ideal=ideal,
    constants=("weight", "bias", "requantize_multipliers", "requantize_shifts"),
    ignored=("scratch", "output_scratch"),
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_quantized_transpose_conv2d_nhwc",
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
            targets=("aten.conv_transpose1d.default", "aten.conv_transpose2d.input"),
            weight="weight",
            bias="bias",
            weight_channel_axis=1,
            fuses_activation=True,
        ),
    ),
    lowerings=(Lowering(targets=("aten.convolution.default",), rewrite=_lower, priority=2),),
    macs=lambda a: a.input.numel() * a.weight[..., 0].numel() // _groups(a),
    foreign=(
        Foreign(
            "quantized_transpose_conv2d",
            SCHEMA,
            ignored=("scratch", "output_scratch"),
        ),
    ),
)
