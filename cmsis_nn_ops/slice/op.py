"""Every step-th entry of a range of one axis, any dtype; the contract is in ``slice.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import axis
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern


def reference(a: Args) -> torch.Tensor:
    index: list[slice] = [slice(None)] * a.input.dim()
    index[a.dim] = slice(a.start, a.end, a.step)
    return a.input[tuple(index)]


def _params(a: Args) -> dict[str, Any]:
    outer, length, inner = axis.split(a.input.shape, a.dim)
    entry = inner * a.input.dtype.itemsize
    count = a.out.shape[a.dim]
    rows, row_bytes = (1, count * entry) if a.step == 1 else (count, entry)
    return {
        "outer": outer,
        "outer_stride": length * entry,
        "begin": a.start * entry,
        "rows": rows,
        "row_stride": a.step * entry,
        "row_bytes": row_bytes,
    }


CONSTRAINTS = (
    Constraint("C1", "input has the axis dim", lambda a: axis.has(a.input.shape, a.dim)),
    Constraint(
        "C2",
        "0 <= start < end <= size of the axis",
        lambda a: 0 <= a.start < a.end <= a.input.shape[a.dim],
    ),
    Constraint("C3", "step is positive", lambda a: a.step > 0),
)


def _check(ctx: Any) -> None:
    if ctx.info.output and not ctx.quant("self").same(ctx.out):
        ctx.reject("input and output have different quantization parameters")


def _lower_slice(ctx: Any) -> torch.fx.Node:
    """``aten.slice_copy``, whose bounds may be absent, negative or beyond the end."""
    _check(ctx)
    a = ctx.args
    size = ctx.shape(a.input)[a.dim]
    start, end, step = slice(a.start, a.end, a.step).indices(size)
    if (start, end, step) == (0, size, 1):
        return a.input
    return ctx.call(OP.name, input=a.input, dim=a.dim, start=start, end=end, step=step)


def _lower_select(ctx: Any) -> torch.fx.Node:
    _check(ctx)
    a = ctx.args
    index = a.index % ctx.shape(a.input)[a.dim]
    y = ctx.call(OP.name, input=a.input, dim=a.dim, start=index, end=index + 1, step=1)
    return ctx.view(y, ctx.shape(ctx.node))


OP = OpDef(
    name="slice",
    schema="(Tensor input, int dim, int start, int end, int step) -> Tensor",
    summary="a range of one axis, with a step, any dtype",
    fake=lambda a: a.input.new_empty(reference(a).shape),
    reference=reference,
    constraints=CONSTRAINTS,
    kernels=(Kernel("ct_slice", operands=("input", "out"), params=_params),),
    patterns=(
        Pattern(
            targets=("aten.slice.Tensor", "aten.select.int", "aten.narrow.default"),
            activations=("self",),
            output="shared",
        ),
    ),
    lowerings=(
        Lowering(
            targets=("aten.slice_copy.Tensor",), rewrite=_lower_slice, needs_quantization=False
        ),
        Lowering(
            targets=("aten.select_copy.int",), rewrite=_lower_select, needs_quantization=False
        ),
    ),
    permuted=lambda a, perm: {"dim": axis.moved(a.dim, perm)},
)
