"""int8 max pooling on explicit NHWC; the contract is in ``quantized_max_pool2d_nhwc.h``."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Foreign, Kernel, Lowering, OpDef, Pattern
from cmsis_nn_ops.spatial import (
    effective_dilation,
    is_image,
    is_window,
    pad_to_windows,
    pads,
    pair,
    window_output_hw,
)
from cortorch.target import Isa

SCHEMA = (
    "(Tensor input, int[] kernel_size, int[] stride, int[] padding, int[] dilation, "
    "bool ceil_mode, int input_zero_point, int output_zero_point, int activation_min, "
    "int activation_max) -> Tensor"
)


def _output_hw(a: Args) -> tuple[int, int]:
    return window_output_hw(
        a.input.shape, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode
    )


def fake(a: Args) -> torch.Tensor:
    batches, _, _, channels = a.input.shape
    return a.input.new_empty((batches, *_output_hw(a), channels))


def reference(a: Args) -> torch.Tensor:
    x = a.input.to(torch.float32).permute(0, 3, 1, 2)
    x = pad_to_windows(x, _output_hw(a), a.kernel_size, a.stride, a.padding, a.dilation, value=-128)
    y = F.max_pool2d(x, tuple(a.kernel_size), tuple(a.stride), 0, tuple(a.dilation))
    return fp.saturate_int8(y.permute(0, 2, 3, 1), a.activation_min, a.activation_max)


def _params(a: Args) -> dict[str, Any]:
    dilation = effective_dilation(a.kernel_size, a.dilation)
    top, left, _, _ = pads(a.padding)
    return {
        "batches": a.input.shape[0],
        "input_height": a.input.shape[1],
        "input_width": a.input.shape[2],
        "channels": a.input.shape[3],
        "output_height": a.out.shape[1],
        "output_width": a.out.shape[2],
        "kernel_height": a.kernel_size[0],
        "kernel_width": a.kernel_size[1],
        "stride_height": a.stride[0],
        "stride_width": a.stride[1],
        "dilation_height": dilation[0],
        "dilation_width": dilation[1],
        "pad_top": top,
        "pad_left": left,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
    }


CONSTRAINTS = (
    Constraint(
        "C1",
        "input is int8 of rank 4; batch, height, width and channels fit 16 bits",
        lambda a: is_image(a.input),
    ),
    Constraint(
        "C2",
        "kernel_size, stride, dilation are pairs of positive numbers; padding is 2 or 4 from 0 up",
        lambda a: is_window(a.kernel_size, a.stride, a.padding, a.dilation),
    ),
    Constraint("C3", "the window fits into the padded input", lambda a: min(_output_hw(a)) > 0),
    Constraint(
        "C4",
        "input_zero_point is output_zero_point: values are compared, not rescaled",
        lambda a: a.input_zero_point == a.output_zero_point,
    ),
    Constraint(
        "C5",
        "activation_min <= activation_max, both int8",
        lambda a: -128 <= a.activation_min <= a.activation_max <= 127,
    ),
)


def _lower(ctx: Any) -> torch.fx.Node:
    """``aten.max_pool2d`` and the values of ``aten.max_pool2d_with_indices``."""
    a = ctx.args
    if not ctx.quant("self").same(ctx.out):
        ctx.reject("the output's scale or zero point is not the input's")
    kernel = pair(a.kernel_size)
    zero_point = ctx.out.zero_point
    y = ctx.call(
        OP.name,
        input=ctx.to_nhwc(a.self),
        kernel_size=list(kernel),
        stride=list(pair(a.stride or kernel)),
        padding=list(pair(a.padding)),
        dilation=list(pair(a.dilation)),
        ceil_mode=a.ceil_mode,
        input_zero_point=zero_point,
        output_zero_point=zero_point,
        activation_min=ctx.activation_min,
        activation_max=ctx.activation_max,
    )
    return ctx.from_nhwc(y)


OP = OpDef(
    name="quantized_max_pool2d_nhwc",
    schema=SCHEMA,
    summary="2-D max pooling, dilation, ceil_mode, asymmetric padding, fused activation",
    fake=fake,
    reference=reference,
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_quantized_max_pool2d_nhwc_mve",
            operands=("input", "out"),
            isa=Isa.MVE,
            params=_params,
        ),
        Kernel(
            "ct_quantized_max_pool2d_nhwc_dsp",
            operands=("input", "out"),
            isa=Isa.DSP,
            accepts=lambda a: a.input.shape[3] >= 4,
            params=_params,
        ),
        Kernel("ct_quantized_max_pool2d_nhwc", operands=("input", "out"), params=_params),
    ),
    patterns=(
        Pattern(
            targets=("aten.max_pool2d.default",),
            activations=("self",),
            output="shared",
            fuses_activation=True,
        ),
    ),
    lowerings=(
        Lowering(
            targets=("aten.max_pool2d_with_indices.default", "aten.max_pool2d.default"),
            rewrite=_lower,
        ),
    ),
    foreign=(Foreign("quantized_max_pool2d", SCHEMA),),
)
