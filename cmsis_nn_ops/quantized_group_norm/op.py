"""int8 layer, group, instance and RMS norm; the contract is in ``quantized_group_norm.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, OpDef
from cmsis_nn_ops.quantized_group_norm import lowering
from cmsis_nn_ops.spatial import UINT16_MAX

SCHEMA = (
    "(Tensor input, Tensor weight, Tensor bias, int groups, bool centered, int input_zero_point, "
    "int output_zero_point, int epsilon, int output_bits, int activation_min, int activation_max) "
    "-> Tensor"
)


def _grouped(a: Args) -> torch.Tensor:
    """[batches, pixels, groups, channels of a group]"""
    return a.input.to(torch.int64).unflatten(2, (a.groups, -1))


def _count(a: Args) -> int:
    """Elements that are normalized together."""
    return int(a.input.shape[1] * a.input.shape[2] // a.groups)


def reference(a: Args) -> torch.Tensor:
    x, count = _grouped(a), _count(a)
    total = x.sum((1, 3), keepdim=True)
    center = total if a.centered else torch.full_like(total, count * a.input_zero_point)
    spread = count * x.square().sum((1, 3), keepdim=True) + center * (center - 2 * total)
    factor = fp.inverse_sqrt(spread + a.epsilon, lowering.normalized_bits(count))
    r = fp.requantize(count * x - center, *factor).flatten(2)
    y = fp.doubling_high_mult(r, a.weight.to(torch.int64)) + a.bias
    y = fp.divide_by_power_of_two(y, a.output_bits) + a.output_zero_point
    return fp.saturate_int8(y, a.activation_min, a.activation_max)


def ideal(a: Args) -> torch.Tensor:
    x, count = _grouped(a).double(), _count(a)
    x = x - (x.mean((1, 3), keepdim=True) if a.centered else a.input_zero_point)
    variance = x.square().mean((1, 3), keepdim=True) + a.epsilon / count**2
    r = (x / variance.sqrt()).nan_to_num(0.0).flatten(2)
    y = r * a.weight * 2.0 ** (lowering.normalized_bits(count) - 31) + a.bias
    y = y * 2.0**-a.output_bits + a.output_zero_point
    return y.clamp(a.activation_min, a.activation_max)


def _params(a: Args) -> dict[str, Any]:
    return {
        "epsilon": a.epsilon,
        "batches": a.input.shape[0],
        "pixels": a.input.shape[1],
        "groups": a.groups,
        "group_channels": a.input.shape[2] // a.groups,
        "input_zero_point": a.input_zero_point,
        "output_zero_point": a.output_zero_point,
        "is_centered": a.centered,
        "normalized_bits": lowering.normalized_bits(_count(a)),
        "output_bits": a.output_bits,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
    }


CONSTRAINTS = (
    Constraint(
        "C1",
        "input is int8 of rank 3, none of its dimensions is 0, and it has at most 65535 channels",
        lambda a: (
            a.input.dtype == torch.int8
            and a.input.dim() == 3
            and a.input.numel() > 0
            and a.input.shape[2] <= UINT16_MAX
        ),
    ),
    Constraint(
        "C2",
        "groups divides the channels, and a group has at most 2**20 elements",
        lambda a: (
            a.groups > 0 and a.input.shape[2] % a.groups == 0 and _count(a) <= lowering.COUNT_MAX
        ),
    ),
    Constraint(
        "C3",
        "weight and bias are int32 of one entry per channel",
        lambda a: all(
            t.dtype == torch.int32 and tuple(t.shape) == (a.input.shape[2],)
            for t in (a.weight, a.bias)
        ),
    ),
    Constraint(
        "C4",
        "zero points and ordered bounds are int8; epsilon is in 0..2**61, output_bits in 1..30",
        lambda a: (
            all(-128 <= z <= 127 for z in (a.input_zero_point, a.output_zero_point))
            and -128 <= a.activation_min <= a.activation_max <= 127
            and 0 <= a.epsilon <= lowering.EPSILON_MAX
            and 1 <= a.output_bits <= 30
        ),
    ),
    Constraint(
        "C5",
        "weights are above -2**31, biases in -2**30..2**30, so that no sum leaves int32",
        lambda a: (
            int(a.weight.min()) >= -fp.INT32_MAX
            and int(a.bias.to(torch.int64).abs().max()) <= 2**30
        ),
    ),
)

OP = OpDef(
    name=lowering.NAME,
    schema=SCHEMA,
    summary="Layer, group, instance and RMS norm, with weight, bias and fused activation",
    fake=lambda a: a.input.new_empty(a.input.shape),
    reference=reference,
    ideal=ideal,
    constants=("weight", "bias"),
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_quantized_group_norm",
            operands=("input", "weight", "bias", "out"),
            params=_params,
            in_place=("input",),
        ),
    ),
    patterns=lowering.PATTERNS,
    lowerings=lowering.LOWERINGS,
    preserve=lowering.TARGETS,
)
