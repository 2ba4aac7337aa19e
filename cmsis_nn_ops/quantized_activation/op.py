"""Any function of one int8 variable, as a table; the contract is in ``quantized_activation.h``.

The table is made on the host by PyTorch's own function: supporting another one is a
word in a list below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

from cmsis_nn_ops.op_def import NAMESPACE, Args, Constraint, Kernel, Lowering, OpDef, Pattern
from cortorch.edge.quant_info import QParams
from cortorch.target import Isa

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

EVERY = torch.arange(-128, 128, dtype=torch.int8)
"""Every int8 value, in the order of a table."""


def _overloads(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"aten.{name}" if "." in name else f"aten.{name}.default" for name in names)


def table(
    function: Callable[[torch.Tensor], torch.Tensor], source: QParams, target: QParams
) -> torch.Tensor:
    """``function`` from every int8 value under ``source`` to the nearest one under ``target``.

    Computed in float64; rounds half to even and saturates. Where the function is undefined it gives
    the zero point, as the quantization of a NaN does.
    """
    real = (EVERY.double() - source.zero_point) * source.scale
    steps = function(real) / target.scale
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
    """The node's arguments but its one quantized tensor: numbers, or constants of one entry."""
    if list(ctx.info.inputs) != ["self"] or ctx.shape(ctx.node) != ctx.shape(ctx.args.input):
        ctx.decline()
    others = {k: v for k, v in vars(ctx.args).items() if k not in ("self", "input")}
    for name, value in others.items():
        if isinstance(value, torch.fx.Node):
            data = ctx.constant_data(value)
            if data is None or data.numel() != 1:
                ctx.decline()
            others[name] = data.item()
    return others


def _lower(ctx: Any) -> torch.fx.Node:
    others = _others(ctx)
    return _call(ctx, lambda x: ctx.node.target(x, **others))


def _call(ctx: Any, function: Callable[[torch.Tensor], torch.Tensor]) -> torch.fx.Node:
    lut = table(function, ctx.quant("self"), ctx.out).clamp(ctx.activation_min, ctx.activation_max)
    source = ctx.args.input
    if _is_table(source) and len(source.users) == 1:  # two tables in a row are one
        source, inner = source.args
        lut = lut[ctx.constant_data(inner).to(torch.int64) + 128]
    if torch.equal(lut, EVERY):
        return source
    return ctx.call(OP.name, input=source, lut=ctx.constant("lut", lut))


def _is_table(node: torch.fx.Node) -> bool:
    schema = getattr(node.target, "_schema", None)
    return schema is not None and schema.name == f"{NAMESPACE}::{OP.name}"


OP = OpDef(
    name="quantized_activation",
    schema="(Tensor input, Tensor lut) -> Tensor",
    summary="any function of one int8 variable (relu, gelu, exp, x + 3, ...), by table",
    fake=lambda a: a.input.new_empty(a.input.shape),
    reference=reference,
    constants=("lut",),
    constraints=CONSTRAINTS,
    kernels=tuple(
        Kernel(
            f"ct_quantized_activation{variant}",
            operands=("input", "lut", "out"),
            isa=isa,
            params=lambda a: {"elements": a.input.numel()},
            in_place=("input",),
        )
        for variant, isa in (("_mve", Isa.MVE), ("", Isa.SCALAR))
    ),
    patterns=(
        Pattern(targets=_overloads(UNARY), activations=("self",), fuses_activation=True),
        Pattern(
            targets=_overloads(BINARY),
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
