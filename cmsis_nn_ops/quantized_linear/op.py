"""int8 fully connected layer, one scale for all outputs; the contract is in
``quantized_linear.h``.

Programs of ExecuTorch's Cortex-M backend have it. Ours have scales per output.
"""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, OpDef
from cmsis_nn_ops.spatial import UINT16_MAX

# kernel_sum is upstream's for targets with MVE: the bias plus input_offset times the sums of the
# (offset) weights. For the others it is None, and there is a bias.
SCHEMA = (
    "(Tensor input, Tensor weights, Tensor? bias, Tensor? kernel_sum, int input_offset, "
    "int filter_offset, int output_offset, int[] requantize_multipliers, int[] requantize_shifts, "
    "int activation_max, int activation_min) -> Tensor"
)


def fake(a: Args) -> torch.Tensor:
    return a.input.new_empty((*a.input.shape[:-1], a.weights.shape[0]))


def _sums(a: Args) -> torch.Tensor:
    """What a row of zeros accumulates, int64 [outputs]."""
    if a.kernel_sum is not None:
        return a.kernel_sum.to(torch.int64).flatten()
    sums = a.input_offset * (a.weights.to(torch.int64) + a.filter_offset).sum(1)
    return sums if a.bias is None else sums + a.bias.to(torch.int64)


def _accumulate(a: Args) -> torch.Tensor:
    """Exact in float64: |sum| < 2**53."""
    products = a.input.double() @ (a.weights.double() + a.filter_offset).t()
    return products.to(torch.int64) + _sums(a)


def reference(a: Args) -> torch.Tensor:
    y = fp.requantize(_accumulate(a), a.requantize_multipliers[0], a.requantize_shifts[0])
    return fp.saturate_int8(y + a.output_offset, a.activation_min, a.activation_max)


def ideal(a: Args) -> torch.Tensor:
    factor = a.requantize_multipliers[0] * 2.0 ** (a.requantize_shifts[0] - 31)
    return (_accumulate(a) * factor + a.output_offset).clamp(a.activation_min, a.activation_max)


def _params(a: Args) -> dict[str, Any]:
    return {
        "multiplier": a.requantize_multipliers[0],
        "rows": a.input.numel() // a.input.shape[-1],
        "input_features": a.weights.shape[1],
        "output_features": a.weights.shape[0],
        "shift": a.requantize_shifts[0],
        "input_offset": a.input_offset,
        "filter_offset": a.filter_offset,
        "output_offset": a.output_offset,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
    }


def _fits_int32(a: Args) -> bool:
    """No accumulator can leave int32, whatever the input."""
    first, step = (a.bias, 256) if a.kernel_sum is None else (a.kernel_sum, 128)
    largest = step * (a.weights.to(torch.int64) + a.filter_offset).abs().sum(1)
    if first is not None:
        largest = largest + first.to(torch.int64).abs().flatten()
    return int(largest.max()) <= fp.INT32_MAX


CONSTRAINTS = (
    Constraint(
        "C1",
        "input is int8 of rank 1 or more, weights are int8 of rank 2 with 1..65535 rows and "
        "columns",
        lambda a: (
            a.input.dtype == a.weights.dtype == torch.int8
            and a.input.dim() >= 1
            and a.weights.dim() == 2
            and 0 < min(a.weights.shape) <= max(a.weights.shape) <= UINT16_MAX
        ),
    ),
    Constraint(
        "C2",
        "the input's last dimension is the weights' number of columns; no dimension is 0",
        lambda a: a.input.shape[-1] == a.weights.shape[1] and a.input.numel() > 0,
    ),
    Constraint(
        "C3",
        "at most one of bias and kernel_sum is given; int32, with one entry per output",
        lambda a: (
            (a.bias is None or a.kernel_sum is None)
            and all(
                t is None or (t.dtype == torch.int32 and t.numel() == a.weights.shape[0])
                for t in (a.bias, a.kernel_sum)
            )
        ),
    ),
    Constraint(
        "C4",
        "input_offset, filter_offset are in -127..128; output_offset and ordered bounds are int8",
        lambda a: (
            min(a.input_offset, a.filter_offset) >= -127
            and max(a.input_offset, a.filter_offset) <= 128
            and -128 <= a.output_offset <= 127
            and -128 <= a.activation_min <= a.activation_max <= 127
        ),
    ),
    Constraint(
        "C5",
        "there is one multiplier, from 0 up, and one shift, -31..30",
        lambda a: (
            len(a.requantize_multipliers) == len(a.requantize_shifts) == 1
            and 0 <= a.requantize_multipliers[0] <= fp.INT32_MAX
            and -31 <= a.requantize_shifts[0] <= 30
        ),
    ),
    Constraint("C6", "no accumulator can leave int32, whatever the input", _fits_int32),
)

OP = OpDef(
    name="quantized_linear",
    schema=SCHEMA,
    summary="Fully connected layer with one scale for all outputs, of upstream's programs",
    fake=fake,
    reference=reference,
    ideal=ideal,
    constants=("weights", "bias", "kernel_sum"),
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_quantized_linear",
            operands=("input", "weights", "bias", "kernel_sum", "out"),
            params=_params,
        ),
    ),
    macs=lambda a: a.out.numel() * a.weights.shape[1],
)
