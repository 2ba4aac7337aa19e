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


def _ends(a: Args) -> list[int]:
    """How far the last window reaches past the padding, by axis."""
    top, left, bottom, right = pads(a.padding)
    axes = zip(
        a.input.shape[1:3],
        (top + bottom, left + right),
        a.kernel_size,
        a.stride,
        _output_hw(a),
        strict=True,
    )
    return [(n - 1) * s + k - size - padding for size, padding, k, s, n in axes]


def _sums_and_counts(a: Args) -> tuple[torch.Tensor, torch.Tensor]:
    window = (_output_hw(a), a.kernel_size, a.stride)
    top, left, bottom, right = pads(a.padding)
    _, height, width, _ = a.input.shape
    counted = torch.ones((1, height + top + bottom, width + left + right, 1), dtype=torch.int8)
    x = a.input.to(torch.int64) + a.input_offset
    return window_sums(x, *window, a.padding), window_sums(counted, *window, (0, 0))


def _area(a: Args) -> int:
    return int(a.kernel_size[0] * a.kernel_size[1])


def reference(a: Args) -> torch.Tensor:
    sums, counts = _sums_and_counts(a)
    y = fp.requantize(
        fp.divide(sums * _area(a), counts), a.requantize_multiplier, a.requantize_shift
    )
    return fp.saturate_int8(y + a.output_offset, a.activation_min, a.activation_max)


def ideal(a: Args) -> torch.Tensor:
    sums, counts = _sums_and_counts(a)
    factor = a.requantize_multiplier * 2.0 ** (a.requantize_shift - 31) * _area(a)
    y = sums.double() / counts * factor + a.output_offset
    return y.clamp(a.activation_min, a.activation_max)


def _fits_int32(a: Args) -> bool:
    largest = 255 * _area(a) * (_area(a) if max(_ends(a)) > 0 else 1)
    return largest + _area(a) // 2 << max(a.requantize_shift, 0) <= fp.INT32_MAX


def _params(a: Args) -> dict[str, Any]:
    top, left, bottom, right = pads(a.padding)
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
        "pad_bottom": bottom,
        "pad_right": right,
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
    Constraint("C6", "no sum can leave int32 on its way", _fits_int32),
)


def _trailing(size: int, before: int, kernel: int, stride: int, windows: int) -> int:
    """Padding behind the input with which no window reaches past it."""
    return max(before, (windows - 1) * stride + kernel - size - before)


def _lower(ctx: Any) -> torch.fx.Node:
    """``aten.avg_pool2d`` with a divisor of its own, or with padding that counts."""
    a = ctx.args
    kernel, padding = pair(a.kernel_size), pair(a.padding)
    stride = pair(a.stride or kernel)
    fixed = a.divisor_override is not None
    if not (fixed or (a.count_include_pad and any(padding))):
        ctx.decline()
    divisor = a.divisor_override if fixed else kernel[0] * kernel[1]
    if divisor <= 0:
        ctx.reject(f"divisor_override is {divisor}; only positive ones have an int8 form")
    axes = zip(
        ctx.shape(a.self)[-2:], padding, kernel, stride, ctx.shape(ctx.node)[-2:], strict=True
    )
    after = [_trailing(*axis) for axis in axes] if fixed else padding
    x, out = ctx.quant("self"), ctx.out
    # From 256 on every sum but 0 saturates, so that a larger factor changes nothing.
    multiplier, shift = fp.quantize_multiplier(min(x.scale / (out.scale * divisor), 256.0))
    y = ctx.call(
        OP.name,
        input=ctx.to_nhwc(a.self),
        kernel_size=list(kernel),
        stride=list(stride),
        padding=[*padding, *after],
        ceil_mode=a.ceil_mode and not fixed,
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
