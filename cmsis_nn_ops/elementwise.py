"""Functions of two numbers of one dtype, broadcast: what the operators for them share.

The C support layer has the same in ``support/ct_elementwise.h``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from cmsis_nn_ops import broadcast, ordering
from cmsis_nn_ops.op_def import Args, Constraint

CONSTRAINTS = (
    Constraint(
        "C1",
        "self and other are both int8, uint8, bool, int32, int64 or float32",
        lambda a: a.self.dtype == a.other.dtype and a.self.dtype in ordering.KINDS,
    ),
    Constraint(
        "C2",
        "the shapes broadcast, none is empty, and they alternate at most six times",
        lambda a: broadcast.broadcasts(a.self, a.other),
    ),
)


def fake(a: Args) -> torch.Tensor:
    return a.self.new_empty(torch.broadcast_shapes(a.self.shape, a.other.shape))


def canonical(x: torch.Tensor) -> torch.Tensor:
    """Every NaN is PyTorch's: which one an FPU makes depends on the FPU."""
    return torch.where(x != x, torch.nan, x) if x.is_floating_point() else x


def params(a: Args) -> Mapping[str, Any]:
    shape = broadcast.broadcast(a.self.shape, a.other.shape)
    return {
        "sizes": shape.sizes,
        "kind": ordering.KINDS[a.self.dtype],
        "self_repeats": shape.self_repeats,
        "other_repeats": shape.other_repeats,
    }


def operands(ctx: Any) -> tuple[torch.fx.Node, torch.fx.Node]:
    """``self`` and ``other`` of a call whose tensors have the dtype of its output, or, if they are
    int8 numbers, its parameters; numbers become constants. Declines anything else."""
    dtype = ctx.dtype(ctx.node)
    found = [_operand(ctx, name, dtype) for name in ("self", "other")]
    return found[0], found[1]


def _operand(ctx: Any, name: str, dtype: torch.dtype) -> torch.fx.Node:
    given = getattr(ctx.args, name)
    quantized = ctx.info.inputs.get(name)
    if ctx.info.output is not None and (quantized is None or not quantized.same(ctx.out)):
        ctx.decline()
    if not isinstance(given, torch.fx.Node):
        constant: torch.fx.Node = ctx.constant(name, torch.tensor(given, dtype=dtype))
        return constant
    if ctx.dtype(given) != dtype:
        ctx.decline()
    return given
