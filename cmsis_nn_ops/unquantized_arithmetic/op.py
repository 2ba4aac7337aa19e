"""Arithmetic of numbers that are not quantized; the contract is in ``unquantized_arithmetic.h``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from cmsis_nn_ops import broadcast, elementwise
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef

FUNCTIONS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "div_trunc": partial(torch.div, rounding_mode="trunc"),
    "div_floor": partial(torch.div, rounding_mode="floor"),
    "fmod": torch.fmod,
    "remainder": torch.remainder,
}
PLAIN = {
    "aten.add.Tensor": "add",
    "aten.sub.Tensor": "sub",
    "aten.mul.Tensor": "mul",
    "aten.div.Tensor": "div",
    "aten.fmod.Tensor": "fmod",
    "aten.fmod.Scalar": "fmod",
    "aten.remainder.Tensor": "remainder",
    "aten.remainder.Scalar": "remainder",
}
"""By ATen overload; ``alpha`` is a product of its own."""
DIV_MODE = "aten.div.Tensor_mode"
NEG = "aten.neg.default"
DTYPES = (torch.int32, torch.int64, torch.float32)


NUMBERS = {name: number for number, name in enumerate(FUNCTIONS)}
"""What the schema calls them, as ``unquantized_arithmetic.h`` does."""


def reference(a: Args) -> torch.Tensor:
    return elementwise.canonical(FUNCTIONS[list(FUNCTIONS)[a.function]](a.self, a.other))


CONSTRAINTS = (
    Constraint(
        "C1",
        "self and other are both int32, int64 or float32",
        lambda a: a.self.dtype == a.other.dtype and a.self.dtype in DTYPES,
    ),
    elementwise.CONSTRAINTS[1],
    Constraint("C3", "function is in 0..7", lambda a: 0 <= a.function < len(FUNCTIONS)),
    Constraint(
        "C4",
        "div is of floats",
        lambda a: a.function != NUMBERS["div"] or a.self.dtype.is_floating_point,
    ),
)


def _plain(ctx: Any) -> None:
    """Quantized numbers are the business of other operators."""
    if ctx.info.inputs or ctx.dtype(ctx.node) not in DTYPES:
        ctx.decline()


def _lower(ctx: Any, function: str) -> torch.fx.Node:
    _plain(ctx)
    self, other = elementwise.operands(ctx)
    alpha = getattr(ctx.args, "alpha", 1)
    if alpha != 1:
        factor = ctx.constant("alpha", torch.tensor(alpha, dtype=ctx.dtype(ctx.node)))
        other = ctx.call(OP.name, self=other, other=factor, function=NUMBERS["mul"])
    return ctx.call(OP.name, self=self, other=other, function=NUMBERS[function])


def _lower_mode(ctx: Any) -> torch.fx.Node:
    mode = ctx.args.rounding_mode
    return _lower(ctx, "div" if mode is None else f"div_{mode}")


def _lower_neg(ctx: Any) -> torch.fx.Node:
    """-0.0 - x is -x for zeros, too."""
    _plain(ctx)
    dtype = ctx.dtype(ctx.node)
    zero = torch.tensor(-0.0 if dtype.is_floating_point else 0, dtype=dtype)
    source = ctx.constant("zero", zero)
    return ctx.call(OP.name, self=source, other=ctx.args.self, function=NUMBERS["sub"])


OP = OpDef(
    name="unquantized_arithmetic",
    schema="(Tensor self, Tensor other, int function) -> Tensor",
    summary="Arithmetic of int32, int64 and float32, any broadcast",
    fake=elementwise.fake,
    reference=reference,
    constraints=CONSTRAINTS,
    kernels=tuple(
        Kernel(
            f"ct_unquantized_arithmetic_{function}",
            operands=("self", "other", "out"),
            accepts=lambda a, number=number: a.function == number,  # type: ignore[misc]
            params=elementwise.params,
            in_place=("self", "other"),
        )
        for function, number in NUMBERS.items()
    ),
    lowerings=(
        *(
            Lowering(
                targets=(target,),
                rewrite=partial(_lower, function=function),
                needs_quantization=False,
                priority=-1,
            )
            for target, function in PLAIN.items()
        ),
        *(
            Lowering(targets=(target,), rewrite=rewrite, needs_quantization=False, priority=-1)
            for target, rewrite in ((DIV_MODE, _lower_mode), (NEG, _lower_neg))
        ),
    ),
    permuted=lambda a, perm: broadcast.permuted(a.self, a.other, perm),
)
