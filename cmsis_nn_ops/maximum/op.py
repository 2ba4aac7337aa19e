"""The larger of two numbers, int8 or of any other dtype; the contract is in ``maximum.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import broadcast, elementwise
from cmsis_nn_ops.op_def import Args, Kernel, Lowering, OpDef, Pattern

TARGET = "aten.maximum.default"


def reference(a: Args) -> torch.Tensor:
    y = torch.where((a.self > a.other) | (a.self != a.self), a.self, a.other)
    return elementwise.canonical(y)


def _lower(ctx: Any) -> torch.fx.Node:
    self, other = elementwise.operands(ctx)
    return ctx.call(OP.name, self=self, other=other)


_OPERANDS = ("self", "other", "out")


def _is_plain_int8(a: Args) -> bool:
    return a.self.dtype == torch.int8 and bool(a.self.shape == a.other.shape)


OP = OpDef(
    name="maximum",
    schema="(Tensor self, Tensor other) -> Tensor",
    summary="The larger of two numbers, any broadcast, any dtype",
    fake=elementwise.fake,
    reference=reference,
    constraints=elementwise.CONSTRAINTS,
    kernels=tuple(
        Kernel(
            function,
            operands=_OPERANDS,
            accepts=accepts,
            params=elementwise.params,
            in_place=("self", "other"),
        )
        for function, accepts in (
            ("ct_maximum_int8", _is_plain_int8),
            ("ct_maximum", lambda a: True),
        )
    ),
    patterns=(Pattern(targets=(TARGET,), activations=("self", "other"), output="shared"),),
    lowerings=(Lowering(targets=(TARGET,), rewrite=_lower, needs_quantization=False),),
    permuted=lambda a, perm: broadcast.permuted(a.self, a.other, perm),
)
