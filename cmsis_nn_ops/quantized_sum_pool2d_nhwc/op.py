"""int8 sum over windows on explicit NHWC; the contract is in ``quantized_sum_pool2d_nhwc.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern
from cmsis_nn_ops.spatial import (
    is_image,
    is_window,
    pads,
    pair,
    window_output,
    window_output_hw,
    window_sums,
    windows_meet_input,
)

SCHEMA = (
    "(Tensor input, int[] kernel_size, int[] stride, int[] padding, bool ceil_mode, "
    "int input_offset, int output_offset, int requantize_multiplier, int requantize_shift, "
    "int activation_min, int activation_max) -> Tensor"
)


def _output_hw(a: Args) -> tuple[int, int]:
    return window_output_hw(
        a.input.shape, a.kernel_size, a.stride, a.padding, ceil_mode=a.ceil_mode
    )


def fake(a: Args) -> torch.Tensor:
    batches, _, _, channels = a.input.shape
    return a.input.new_empty((batches, *_output_hw(a), channels))


def _sums(a: Args) -> torch.Tensor:
    x = a.input.to(torch.int64) + a.input_offset
    return window_sums(x, _output_hw(a), a.kernel_size, a.stride, a.padding)


def reference(a: Args) -> torch.Tensor:
    y = fp.requantize(_sums(a), a.requantize_multiplier, a.requantize_shift) + a.output_offset
    return fp.saturate_int8(y, a.activation_min, a.activation_max)


def ideal(a: Args) -> torch.Tensor:
    factor = a.requantize_multiplier * 2.0 ** (a.requantize_shift - 31)
    return (_sums(a) * factor + a.output_offset).clamp(a.activation_min, a.activation_max)


def _params(a: Args) -> dict[str, Any]:
    top, left, _, _ = pads(a.padding)
    return {
        "multiplier": a.requantize_multiplier,
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
        "pad_top": top,
        "pad_left": left,
        "input_offset": a.input_offset,
        "shift": a.requantize_shift,
        "output_offset": a.output_offset,
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
        "kernel_size and stride are two positive numbers; padding is two or four non-negative ones",
        lambda a: is_window(a.kernel_size, a.stride, a.padding),
    ),
    Constraint(
        "C3",
        "every window has a pixel of the input",
        lambda a: windows_meet_input(
            a.input.shape, _output_hw(a), a.kernel_size, a.stride, a.padding
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
        "the multiplier is in 0..2**31-1, the shift in -31..30",
        lambda a: 0 <= a.requantize_multiplier <= fp.INT32_MAX and -31 <= a.requantize_shift <= 30,
    ),
    Constraint(
        "C6",
        "no sum, shifted left, can leave int32",
        lambda a: (
            a.kernel_size[0] * a.kernel_size[1] * 255 << max(a.requantize_shift, 0) <= fp.INT32_MAX
        ),
    ),
)


def _clips(size: int, padding: int, kernel: int, stride: int) -> bool:
    """Whether ceil_mode makes a last window that reaches past the padding."""
    windows = window_output(size, padding, padding, kernel, stride, ceil_mode=True)
    return windows != window_output(size, padding, padding, kernel, stride)


def _same_divisor(ctx: Any) -> bool:
    """Whether all windows of the pool are divided by the same number, padding or not."""
    a = ctx.args
    if a.divisor_override is not None:
        return True
    kernel, padding = pair(a.kernel_size), pair(a.padding)
    axes = zip(ctx.shape(a.self)[-2:], padding, kernel, pair(a.stride or kernel), strict=True)
    counted = a.count_include_pad and any(padding)
    return counted and not (a.ceil_mode and any(_clips(*axis) for axis in axes))


def _lower(ctx: Any) -> torch.fx.Node:
    """``aten.avg_pool2d`` with a divisor of its own, or with padding that counts."""
    if not _same_divisor(ctx):
        ctx.decline()
    a = ctx.args
    kernel = pair(a.kernel_size)
    divisor = a.divisor_override or kernel[0] * kernel[1]
    if divisor < 0:
        ctx.reject(f"divisor_override is {divisor}; only positive ones have an int8 form")
    x, out = ctx.quant("self"), ctx.out
    # From 256 on every sum but 0 saturates, so that a larger factor changes nothing.
    multiplier, shift = fp.quantize_multiplier(min(x.scale / (out.scale * divisor), 256.0))
    y = ctx.call(
        OP.name,
        input=ctx.to_nhwc(a.self),
        kernel_size=list(kernel),
        stride=list(pair(a.stride or kernel)),
        padding=list(pair(a.padding)),
        ceil_mode=a.ceil_mode,
        input_offset=-x.zero_point,
        output_offset=out.zero_point,
        requantize_multiplier=multiplier,
        requantize_shift=shift,
        activation_min=ctx.activation_min,
        activation_max=ctx.activation_max,
    )
    return ctx.from_nhwc(y)


OP = OpDef(
    name="quantized_sum_pool2d_nhwc",
    schema=SCHEMA,
    summary="2-D average pooling with divisor_override, or with padding that counts",
    fake=fake,
    reference=reference,
    ideal=ideal,
    constraints=CONSTRAINTS,
    kernels=(Kernel("ct_quantized_sum_pool2d_nhwc", operands=("input", "out"), params=_params),),
    # Averages over counted padding stay within the input's range: they keep its scale, as the
    # average pool's pattern says.
    patterns=(
        Pattern(
            targets=("aten.avg_pool2d.default",),
            activations=("self",),
            fuses_activation=True,
            rejects=lambda a: "no divisor_override" if a.divisor_override is None else None,
        ),
    ),
    lowerings=(Lowering(targets=("aten.avg_pool2d.default",), rewrite=_lower, priority=1),),
)
