"""int8 addition and subtraction with broadcasting; the contract is in ``quantized_add.h``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from cmsis_nn_ops import broadcast, requantize_dsp
from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern
from cortorch.target import Isa

SCHEMA = (
    "(Tensor self, int self_zero_point, int self_multiplier, int self_shift, "
    "Tensor other, int other_zero_point, int other_multiplier, int other_shift, "
    "int output_zero_point, int output_multiplier, int output_shift, "
    "int activation_min, int activation_max) -> Tensor"
)

LEFT_SHIFT = 20
"""Bits by which operands are widened before they are rescaled."""
TABLE_BYTES = 1024
"""The worth of each int8."""


def fake(a: Args) -> torch.Tensor:
    return a.self.new_empty(torch.broadcast_shapes(a.self.shape, a.other.shape))


def reference(a: Args) -> torch.Tensor:
    x = (a.self.to(torch.int64) - a.self_zero_point) << LEFT_SHIFT
    y = (a.other.to(torch.int64) - a.other_zero_point) << LEFT_SHIFT
    total = fp.requantize(x, a.self_multiplier, a.self_shift) + fp.requantize(
        y, a.other_multiplier, a.other_shift
    )
    out = fp.requantize(total, a.output_multiplier, a.output_shift) + a.output_zero_point
    return fp.saturate_int8(out, a.activation_min, a.activation_max)


def ideal(a: Args) -> torch.Tensor:
    x = (a.self.double() - a.self_zero_point) * a.self_multiplier * 2.0 ** (a.self_shift - 31)
    y = (a.other.double() - a.other_zero_point) * a.other_multiplier * 2.0 ** (a.other_shift - 31)
    factor = a.output_multiplier * 2.0 ** (a.output_shift - 31 + LEFT_SHIFT)
    return ((x + y) * factor + a.output_zero_point).clamp(a.activation_min, a.activation_max)


def _widest(zero_point: int, multiplier: int, shift: int) -> int:
    """Largest magnitude that a rescaled operand takes on its way, in steps of the sum."""
    shifted = max(127 - zero_point, 128 + zero_point) << LEFT_SHIFT + max(shift, 0)
    rescaled = (shifted * abs(multiplier) >> 31 + max(-shift, 0)) + 1
    return rescaled if shifted <= fp.INT32_MAX else shifted


def _largest_sum(a: Args) -> int:
    return _widest(a.self_zero_point, a.self_multiplier, a.self_shift) + _widest(
        a.other_zero_point, a.other_multiplier, a.other_shift
    )


def _fits_int32(a: Args) -> bool:
    return _largest_sum(a) << max(a.output_shift, 0) <= fp.INT32_MAX


CONSTRAINTS = (
    Constraint("C1", "self, other are int8", lambda a: a.self.dtype == a.other.dtype == torch.int8),
    Constraint(
        "C2",
        "the shapes broadcast, none is empty, and they alternate at most six times",
        lambda a: broadcast.broadcasts(a.self, a.other),
    ),
    Constraint(
        "C3",
        "zero points and bounds are int8, activation_min <= activation_max",
        lambda a: (
            all(
                -128 <= z <= 127
                for z in (a.self_zero_point, a.other_zero_point, a.output_zero_point)
            )
            and -128 <= a.activation_min <= a.activation_max <= 127
        ),
    ),
    Constraint(
        "C4",
        "|multipliers| < 2**31, shifts are in -31..30",
        lambda a: all(
            abs(multiplier) <= fp.INT32_MAX and -31 <= shift <= 30
            for multiplier, shift in (
                (a.self_multiplier, a.self_shift),
                (a.other_multiplier, a.other_shift),
                (a.output_multiplier, a.output_shift),
            )
        ),
    ),
    Constraint(
        "C5",
        "no operand or sum can leave int32 on its way (the output's scale is not far below theirs)",
        _fits_int32,
    ),
)


def _params(a: Args) -> dict[str, Any]:
    shape = broadcast.broadcast(a.self.shape, a.other.shape)
    return {
        "sizes": shape.sizes,
        "self_multiplier": a.self_multiplier,
        "other_multiplier": a.other_multiplier,
        "output_multiplier": a.output_multiplier,
        "self_shift": a.self_shift,
        "other_shift": a.other_shift,
        "output_shift": a.output_shift,
        "self_zero_point": a.self_zero_point,
        "other_zero_point": a.other_zero_point,
        "output_zero_point": a.output_zero_point,
        "activation_min": a.activation_min,
        "activation_max": a.activation_max,
        "self_repeats": shape.self_repeats,
        "other_repeats": shape.other_repeats,
    }


def _lower(ctx: Any, sign: int) -> torch.fx.Node:
    """``self + sign * alpha * other``: the coefficient goes into the multiplier of ``other``."""
    x, y, out = ctx.quant("self"), ctx.quant("other"), ctx.out
    coefficient = sign * float(ctx.args.alpha)
    scales = (x.scale, abs(coefficient) * y.scale)
    # Twice the larger scale halves the operands, so that their sum is no wider than one was.
    widest = 2.0 * max(scales)
    (x_multiplier, x_shift), (y_multiplier, y_shift) = (
        fp.quantize_multiplier(scale / widest) for scale in scales
    )
    factor = widest / (2.0**LEFT_SHIFT * out.scale)
    multiplier, shift = fp.quantize_multiplier(min(factor, 2.0**29))
    return ctx.call(
        OP.name,
        self=ctx.args.self,
        self_zero_point=x.zero_point,
        self_multiplier=x_multiplier,
        self_shift=x_shift,
        other=ctx.args.other,
        other_zero_point=y.zero_point,
        other_multiplier=y_multiplier if coefficient > 0 else -y_multiplier,
        other_shift=y_shift,
        output_zero_point=out.zero_point,
        output_multiplier=multiplier,
        output_shift=shift,
        activation_min=ctx.activation_min,
        activation_max=ctx.activation_max,
    )


_OPERANDS = ("self", "other", "out")


def _has_no_broadcast(a: Args) -> bool:
    return bool(a.self.numel() == a.other.numel() == a.out.numel())


def _exchanged(a: Args) -> Args:
    """The same sum, operands exchanged."""
    suffixes = ("", "_zero_point", "_multiplier", "_shift")
    exchanged = {f"self{s}": getattr(a, f"other{s}") for s in suffixes}
    exchanged |= {f"other{s}": getattr(a, f"self{s}") for s in suffixes}
    return Args(**{**vars(a), **exchanged})


def _is_power_of_two(multiplier: int, shift: int, least_shift: int) -> bool:
    return abs(multiplier) == 2**30 and least_shift <= shift <= 0


def _accepts_mve(a: Args) -> bool:
    """One operand, the one of the larger scale, is only shifted."""
    rescaled = a.self_shift < 0 or _is_power_of_two(a.self_multiplier, a.self_shift, -3)
    shifted = _is_power_of_two(a.other_multiplier, a.other_shift, -3)
    return (
        _has_no_broadcast(a)
        and rescaled
        and shifted
        and a.output_multiplier >= 0
        and a.output_shift < 0
    )


def _accepts_dsp(a: Args) -> bool:
    """As for Helium; the table of ``self`` costs as much as some dozens of elements."""
    shifted = _is_power_of_two(a.other_multiplier, a.other_shift, 1 - LEFT_SHIFT)
    fits = requantize_dsp.fits(
        _largest_sum(a), a.output_multiplier, a.output_shift, a.output_zero_point
    )
    return _has_no_broadcast(a) and a.out.numel() >= TABLE_BYTES // 4 and shifted and fits


def _one_shifted(
    function: str,
    isa: Isa,
    accepts: Callable[[Args], bool],
    exchange: bool,
    scratch_bytes: int = 0,
) -> Kernel:
    """A kernel for which the factor of ``other`` (of ``self``, if exchanged) is a power of two."""
    view = _exchanged if exchange else lambda a: a
    scratch = ("scratch",) if scratch_bytes else ()
    return Kernel(
        function,
        operands=(*(("other", "self") if exchange else ("self", "other")), "out", *scratch),
        isa=isa,
        accepts=lambda a: accepts(view(a)),
        params=lambda a: _params(view(a)),
        scratch_bytes=lambda a: scratch_bytes,
        in_place=("self", "other"),
    )


OP = OpDef(
    name="quantized_add",
    schema=SCHEMA,
    summary="Addition and subtraction, any broadcast, alpha, fused activation",
    fake=fake,
    reference=reference,
    ideal=ideal,
    constraints=CONSTRAINTS,
    kernels=(
        _one_shifted("ct_quantized_add_mve", Isa.MVE, _accepts_mve, False),
        _one_shifted("ct_quantized_add_mve", Isa.MVE, _accepts_mve, True),
        _one_shifted("ct_quantized_add_dsp", Isa.DSP, _accepts_dsp, False, TABLE_BYTES),
        _one_shifted("ct_quantized_add_dsp", Isa.DSP, _accepts_dsp, True, TABLE_BYTES),
        Kernel(
            "ct_quantized_add",
            operands=_OPERANDS,
            accepts=_has_no_broadcast,
            params=_params,
            in_place=("self", "other"),
        ),
        Kernel(
            "ct_quantized_add_broadcast",
            operands=_OPERANDS,
            params=_params,
            in_place=("self", "other"),
        ),
    ),
    patterns=(
        Pattern(
            targets=("aten.add.Tensor", "aten.add_.Tensor", "aten.sub.Tensor", "aten.sub_.Tensor"),
            activations=("self", "other"),
            fuses_activation=True,
        ),
    ),
    lowerings=(
        Lowering(targets=("aten.add.Tensor",), rewrite=partial(_lower, sign=1)),
        Lowering(targets=("aten.sub.Tensor",), rewrite=partial(_lower, sign=-1)),
    ),
    permuted=lambda a, perm: broadcast.permuted(a.self, a.other, perm),
)
