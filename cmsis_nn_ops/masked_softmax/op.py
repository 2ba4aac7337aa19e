"""int8 softmax that leaves entries out; the contract is in ``masked_softmax.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import softmax_arithmetic
from cmsis_nn_ops.broadcast import broadcast
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern

SCHEMA = (
    "(Tensor input, Tensor mask, int dim, int input_zero_point, int output_zero_point, "
    "int input_multiplier, int input_shift, int diff_min) -> Tensor"
)
FUNCTION = "cortorch.softmax_with_mask.default"
"""Where rewrites of captured graphs have found scores of minus infinity."""


def _rows(a: Args) -> tuple[torch.Size, tuple[int, ...]]:
    """Shapes of input and mask without the last axis, of the same rank."""
    mask = [1] * (a.input.dim() - a.mask.dim()) + list(a.mask.shape)
    return a.input.shape[:-1], tuple(mask[:-1])


def _params(a: Args) -> dict[str, Any]:
    rows = broadcast(*_rows(a))
    return {
        **softmax_arithmetic.params(a),
        "sizes": rows.sizes,
        "mask_repeats": rows.other_repeats,
        "mask_step": int(a.mask.shape[-1] != 1),
        "length": a.input.shape[-1],
    }


def _expands(a: Args) -> bool:
    try:
        fits = torch.broadcast_shapes(a.input.shape, a.mask.shape) == a.input.shape
        broadcast(*_rows(a))
    except (RuntimeError, ValueError):
        return False
    return fits


CONSTRAINTS = (
    *softmax_arithmetic.CONSTRAINTS,
    Constraint(
        "C6",
        "dim is the last axis, and there are other entries to work on",
        lambda a: a.dim % a.input.dim() == a.input.dim() - 1 and a.input.numel() > 0,
    ),
    Constraint(
        "C7",
        "mask is bool of rank 1 or more and expands to the input",
        lambda a: a.mask.dtype == torch.bool and 1 <= a.mask.dim() <= a.input.dim() and _expands(a),
    ),
)


def _lower(ctx: Any) -> torch.fx.Node:
    arguments = softmax_arithmetic.arguments(ctx)
    return ctx.call(
        OP.name, input=ctx.args.input, mask=ctx.args.mask, dim=ctx.args.dim, **arguments
    )


OP = OpDef(
    name="masked_softmax",
    schema=SCHEMA,
    summary="Softmax of scores that a mask sets to minus infinity, as in attention",
    fake=lambda a: a.input.new_empty(a.input.shape),
    reference=lambda a: softmax_arithmetic.softmax(a, a.mask),
    ideal=lambda a: softmax_arithmetic.ideal(a, a.mask),
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_masked_softmax",
            operands=("input", "mask", "out"),
            params=_params,
            in_place=("input",),
        ),
    ),
    patterns=(
        Pattern(targets=(FUNCTION,), activations=("self",), output=softmax_arithmetic.OUTPUT),
    ),
    lowerings=(Lowering(targets=(FUNCTION,), rewrite=_lower),),
)
