"""int8 average pooling on explicit NHWC; the contract is in ``quantized_avg_pool2d_nhwc.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Foreign, Kernel, Lowering, OpDef, Pattern
from cmsis_nn_ops.quantized_avg_pool2d_nhwc import lowering
from cmsis_nn_ops.spatial import (
    is_image,
    is_window,
    pads,
    window_output_hw,
    window_sums,
    windows_meet_input,
)
from cortorch.target import Isa

# zero_point, multiplier and shift (the scale) are upstream's; the mean does not depend on them.
SCHEMA = (
    "(Tensor input, int[] kernel_size, int[] stride, int[] padding, bool ceil_mode, "
    "int zero_point, int multiplier, int shift, Tensor scratch) -> Tensor"
)


def _output_hw(a: Args) -> tuple[int, int]:
    return window_output_hw(
        a.input.shape, a.kernel_size, a.stride, a.padding, ceil_mode=a.ceil_mode
    )


def fake(a: Args) -> torch.Tensor:
    batches, _, _, channels = a.input.shape
    return a.input.new_empty((batches, *_output_hw(a), channels))


def _sums_and_counts(a: Args) -> tuple[torch.Tensor, torch.Tensor]:
    window = (_output_hw(a), a.kernel_size, a.stride, a.padding)
    inside = torch.ones_like(a.input[:1, :, :, :1])
    return window_sums(a.input, *window), window_sums(inside, *window)


def reference(a: Args) -> torch.Tensor:
    return fp.divide(*_sums_and_counts(a)).to(torch.int8)


def ideal(a: Args) -> torch.Tensor:
    total, count = _sums_and_counts(a)
    return total.double() / count


def _params(a: Args) -> dict[str, Any]:
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
        "pad_top": top,
        "pad_left": left,
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
        "a window has at most 2**23 pixels, so that sums fit int32",
        lambda a: a.kernel_size[0] * a.kernel_size[1] <= 2**23,
    ),
)


def _sums_fit_int16(a: Args) -> bool:
    return bool(a.kernel_size[0] * a.kernel_size[1] <= 256)


OP = OpDef(
    name=lowering.NAME,
    schema=SCHEMA,
    summary="2-D average pooling; adaptive where the sizes divide; mean over adjacent dimensions",
    fake=fake,
    reference=reference,
    ideal=ideal,
    ignored=("scratch",),
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_quantized_avg_pool2d_nhwc_mve",
            operands=("input", "out"),
            isa=Isa.MVE,
            accepts=_sums_fit_int16,
            params=_params,
        ),
        Kernel(
            "ct_quantized_avg_pool2d_nhwc_dsp",
            operands=("input", "out"),
            isa=Isa.DSP,
            accepts=lambda a: a.input.shape[3] >= 4 and _sums_fit_int16(a),
            params=_params,
        ),
        Kernel("ct_quantized_avg_pool2d_nhwc", operands=("input", "out"), params=_params),
    ),
    # No activation is fused: the schema is upstream's and has no bounds.
    patterns=tuple(
        Pattern(targets=targets, activations=("self",), output="shared", rejects=rejects)
        for targets, rejects in (
            (("aten.avg_pool2d.default",), lowering.rejects_pool),
            (("aten.adaptive_avg_pool2d.default",), lowering.rejects_adaptive),
            (("aten.mean.dim", "aten.mean.default"), lowering.rejects_mean),
        )
    ),
    lowerings=(
        Lowering(targets=("aten.avg_pool2d.default",), rewrite=lowering.lower_pool),
        Lowering(targets=("aten._adaptive_avg_pool2d.default",), rewrite=lowering.lower_adaptive),
        Lowering(targets=("aten.mean.dim", "aten.mean.default"), rewrite=lowering.lower_mean),
    ),
    foreign=(Foreign("quantized_avg_pool2d", SCHEMA, ignored=("scratch",)),),
)
