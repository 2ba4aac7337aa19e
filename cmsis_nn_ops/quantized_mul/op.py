"""int8 multiplication with broadcasting; the contract is in ``quantized_mul.h``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from cmsis_nn_ops import broadcast, requantize_dsp
from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern
from cortorch.target import Isa

SCHEMA = (
    "(Tensor self, int self_zero_point, Tensor other, int other_zero_point, int output_zero_point, "
    "int output_multiplier, int output_shift) -> Tensor"
)

LARGEST_FACTOR = 256.0
"""From this factor on every product but 0 saturates; a larger one changes nothing."""


def fake(a: Args) -> torch.Tensor:
    return a.self.new_empty(torch.broadcast_shapes(a.self.shape, a.other.shape))


def _product(a: Args) -> torch.Tensor:
    x = a.self.to(torch.int64) - a.self_zero_point
    return x * (a.other.to(torch.int64) - a.other_zero_point)


def reference(a: Args) -> torch.Tensor:
    y = fp.requantize(_product(a), a.output_multiplier, a.output_shift)
    return fp.saturate_int8(y + a.output_zero_point)


def ideal(a: Args) -> torch.Tensor:
    factor = a.output_multiplier * 2.0 ** (a.output_shift - 31)
    return (_product(a) * factor + a.output_zero_point).clamp(-128, 127)


CONSTRAINTS = (
    Constraint("C1", "self, other are int8", lambda a: a.self.dtype == a.other.dtype == torch.int8),
    Constraint(
        "C2",
        "the shapes broadcast, none is empty, and they alternate at most six times",
        lambda a: broadcast.broadcasts(a.self, a.other),
    ),
    Constraint(
        "C3",
        "zero points are int8",
        lambda a: all(
            -128 <= z <= 127 for z in (a.self_zero_point, a.other_zero_point, a.output_zero_point)
        ),
    ),
    Constraint(
        "C4",
        "the multiplier is in 0..2**31-1, the shift in -31..15, where no product leaves int32",
        lambda a: 0 <= a.output_multiplier <= fp.INT32_MAX and -31 <= a.output_shift <= 15,
    ),
)


def _params(a: Args) -> dict[str, Any]:
    shape = broadcast.broadcast(a.self.shape, a.other.shape)
    return {
        "sizes": shape.sizes,
        "output_multiplier": a.output_multiplier,
        "output_shift": a.output_shift,
        "self_zero_point": a.self_zero_point,
        "other_zero_point": a.other_zero_point,
        "output_zero_point": a.output_zero_point,
        "self_repeats": shape.self_repeats,
        "other_repeats": shape.other_repeats,
    }


def _lower(ctx: Any) -> torch.fx.Node:
    x, y, out = ctx.quant("self"), ctx.quant("other"), ctx.out
    factor = x.scale * y.scale / out.scale
    multiplier, shift = fp.quantize_multiplier(min(factor, LARGEST_FACTOR))
    return ctx.call(
        OP.name,
        self=ctx.args.self,
        self_zero_point=x.zero_point,
        other=ctx.args.other,
        other_zero_point=y.zero_point,
        output_zero_point=out.zero_point,
        output_multiplier=multiplier,
        output_shift=shift,
    )


def _has_no_broadcast(a: Args) -> bool:
    return bool(a.self.numel() == a.other.numel() == a.out.numel())


_OPERANDS = ("self", "other", "out")


def _dsp(variant: str, accepts: Callable[[Args], bool]) -> Kernel:
    def fits(a: Args) -> bool:
        return requantize_dsp.fits(2**16, a.output_multiplier, a.output_shift, a.output_zero_point)

    return Kernel(
        f"ct_quantized_mul{variant}_dsp",
        operands=_OPERANDS,
        isa=Isa.DSP,
        accepts=lambda a: accepts(a) and fits(a),
        params=_params,
        in_place=("self", "other"),
    )


OP = OpDef(
    name="quantized_mul",
    schema=SCHEMA,
    summary="Multiplication, any broadcast",
    fake=fake,
    reference=reference,
    ideal=ideal,
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_quantized_mul_mve",
            operands=_OPERANDS,
            isa=Isa.MVE,
            accepts=lambda a: (
                _has_no_broadcast(a) and a.output_multiplier >= 0 and a.output_shift < 0
            ),
            params=_params,
            in_place=("self", "other"),
        ),
        _dsp("", _has_no_broadcast),
        _dsp("_broadcast", lambda a: True),
        Kernel(
            "ct_quantized_mul",
            operands=_OPERANDS,
            accepts=_has_no_broadcast,
            params=_params,
            in_place=("self", "other"),
        ),
        Kernel(
            "ct_quantized_mul_broadcast",
            operands=_OPERANDS,
            params=_params,
            in_place=("self", "other"),
        ),
    ),
    # No activation is fused: the schema is upstream's and has no bounds.
    patterns=(
        Pattern(targets=("aten.mul.Tensor", "aten.mul_.Tensor"), activations=("self", "other")),
    ),
    lowerings=(Lowering(targets=("aten.mul.Tensor",), rewrite=_lower),),
    permuted=lambda a, perm: broadcast.permuted(a.self, a.other, perm),
)
