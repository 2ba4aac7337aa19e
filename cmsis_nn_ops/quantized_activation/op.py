"""Any function of one int8 variable, as a table; the contract is in ``quantized_activation.h``.

The table is made on the host by PyTorch's own function: supporting another one is a
word in a list below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern
from cortorch.quant_info import QParams

CLAMPS = ("relu", "relu6", "hardtanh", "clamp", "clamp_min", "clamp_max", "threshold")
BENT = ("leaky_relu", "elu", "selu", "celu", "silu", "gelu", "mish", "softplus", "hardswish", "abs")
SATURATING = ("sigmoid", "log_sigmoid", "hardsigmoid", "tanh", "erf", "erfc", "atan", "sign")
EXPONENTIAL = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logit", "sinh", "cosh")
PERIODIC = ("sin", "cos", "tan", "remainder.Scalar", "fmod.Scalar", "frac")
INVERSE = ("asin", "acos", "asinh", "acosh", "atanh", "reciprocal", "neg", "rsub.Scalar")
POWERS = ("sqrt", "rsqrt", "square", "pow.Tensor_Scalar")
STEPS = ("floor", "ceil", "round", "round.decimals", "trunc", "nan_to_num")
UNARY = (*CLAMPS, *BENT, *SATURATING, *EXPONENTIAL, *PERIODIC, *INVERSE, *POWERS, *STEPS)
"""ATen operators of one tensor, ``self``; overload ``default`` unless given."""

BINARY = ("add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor", "div.Tensor_mode")
"""Those of two tensors, for calls whose second one is a number."""

DECOMPOSED = (
    *("hardswish", "hardsigmoid", "silu", "mish", "celu", "selu", "softplus", "log_sigmoid"),
    *("threshold", "logit", "frac", "nan_to_num", "rsub.Scalar"),
)
"""Those that ``to_edge`` would take apart."""

COPIES = ("aten.clone.default", "aten.alias_copy.default")
"""Identities: they requantize if input and output differ in parameters, and vanish otherwise."""


def _overloads(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"aten.{name}" if "." in name else f"aten.{name}.default" for name in names)


def _with_in_place(names: Iterable[str]) -> tuple[str, ...]:
    """Overload names, and those of the in-place twins that PyTorch has."""
    functional = _overloads(names)
    twins = ("_.".join(target.rsplit(".", 1)) for target in functional)
    return (*functional, *filter(_exists, twins))


def _exists(target: str) -> bool:
    _, packet, overload = target.split(".")
    return overload in getattr(getattr(torch.ops.aten, packet, None), "overloads", list)()


def table(
    function: Callable[[torch.Tensor], torch.Tensor], source: QParams, target: QParams
) -> torch.Tensor:
    """``function`` from every int8 value under ``source`` to the nearest one under ``target``.

    Computed in float64; rounds half to even and saturates. Where the function is undefined it gives
    the zero point, as the quantization of a NaN does.
    """
    stored = torch.arange(-128, 128, dtype=torch.float64)
    steps = function((stored - source.zero_point) * source.scale) / target.scale
    steps = steps.round().nan_to_num(nan=0.0) + target.zero_point
    return steps.clamp(target.quant_min, target.quant_max).to(torch.int8)


def reference(a: Args) -> torch.Tensor:
    return a.lut[a.input.to(torch.int64) + 128]


CONSTRAINTS = (
    Constraint("C1", "input is int8", lambda a: a.input.dtype == torch.int8),
    Constraint(
        "C2",
        "lut is int8 of 256 entries",
        lambda a: a.lut.dtype == torch.int8 and tuple(a.lut.shape) == (256,),
    ),
)


def _second_tensor(a: Args) -> str | None:
    return "both operands are tensors" if isinstance(a.other, torch.Tensor) else None


def _others(ctx: Any) -> dict[str, Any]:
    """Every argument of the node but its one quantized tensor; other tensors must be constants."""
    if list(ctx.info.inputs) != ["self"]:
        ctx.decline()
    others = {k: v for k, v in vars(ctx.args).items() if k not in ("self", "input")}
    for name, value in others.items():
        if isinstance(value, torch.fx.Node):
            others[name] = ctx.constant_data(value)
            if others[name] is None or others[name].numel() != 1:
                ctx.reject(f"argument {name!r} is not a single number known at export")
    return others


def _lower(ctx: Any) -> torch.fx.Node:
    others = _others(ctx)
    return _call(ctx, lambda x: ctx.node.target(x, **others))


def _call(ctx: Any, function: Callable[[torch.Tensor], torch.Tensor]) -> torch.fx.Node:
    lut = table(function, ctx.quant("self"), ctx.out).clamp(ctx.activation_min, ctx.activation_max)
    if torch.equal(lut, torch.arange(-128, 128, dtype=torch.int8)):
        return ctx.args.input
    return ctx.call(OP.name, input=ctx.args.input, lut=ctx.constant("lut", lut))


OP = OpDef(
    name="quantized_activation",
    schema="(Tensor input, Tensor lut) -> Tensor",
    summary="any function of one int8 variable (relu, gelu, exp, x + 3, ...), by table",
    fake=lambda a: a.input.new_empty(a.input.shape),
    reference=reference,
    constants=("lut",),
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_quantized_activation",
            operands=("input", "lut", "out"),
            params=lambda a: {"elements": a.input.numel()},
            in_place=("input",),
        ),
    ),
    patterns=(
        Pattern(targets=_with_in_place(UNARY), activations=("self",), fuses_activation=True),
        Pattern(
            targets=_with_in_place(BINARY),
            activations=("self",),
            fuses_activation=True,
            rejects=_second_tensor,
        ),
    ),
    lowerings=(
        Lowering(targets=_overloads([*UNARY, *BINARY]), rewrite=_lower, priority=1),
        Lowering(targets=COPIES, rewrite=lambda ctx: _call(ctx, lambda x: x)),
    ),
    preserve=_overloads(DECOMPOSED),
    permuted=lambda a, perm: {},
)
