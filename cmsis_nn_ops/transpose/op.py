"""Permutation of axes, any dtype; the contract is in ``transpose.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef
from cortorch.target import Isa

RANK_MAX = 6
"""Axes of ``struct ct_transpose_params``."""
RUN_BYTES_MIN = 16
"""Contiguous bytes from which a memcpy for each run is faster than strided loads."""

Axis = tuple[int, int, int]
"""Size, stride in the input, stride in the output; strides in elements."""


def reference(a: Args) -> torch.Tensor:
    return a.input.permute(a.perm)


def joined_axes(shape: tuple[int, ...], perm: tuple[int, ...]) -> list[Axis]:
    """The output's axes without those of size 1, neighbours in both tensors joined."""
    strides = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = strides[i + 1] * shape[i + 1]
    axes: list[Axis] = []
    output_stride = 1
    for size, stride in [(shape[i], strides[i]) for i in reversed(perm) if shape[i] != 1]:
        if axes and stride == axes[0][0] * axes[0][1]:
            inner = axes.pop(0)
            axes.insert(0, (size * inner[0], *inner[1:]))
        else:
            axes.insert(0, (size, stride, output_stride))
        output_stride *= size
    return axes


def loops(axes: list[Axis], element_bytes: int) -> list[Axis]:
    """The axes in the order of the loops: a long contiguous run, or else the longest, goes last."""

    def rank(axis: Axis) -> tuple[bool, int]:
        size, *strides = axis
        return strides == [1, 1] and size * element_bytes >= RUN_BYTES_MIN, size

    innermost = max(axes, key=rank)
    return [*(a for a in axes if a is not innermost), innermost]


def _params(a: Args) -> dict[str, Any]:
    axes = joined_axes(tuple(a.input.shape), tuple(a.perm)) or [(1, 1, 1)]
    sizes, inputs, outputs = zip(*loops(axes, a.input.dtype.itemsize), strict=True)
    return {
        "rank": len(sizes),
        "element_bytes": a.input.dtype.itemsize,
        "sizes": sizes,
        "input_strides": inputs,
        "output_strides": outputs,
    }


def _accepts_mve(a: Args) -> bool:
    """Contiguous runs, or bytes: a vector of eight must be in reach of 16-bit offsets."""
    axes = joined_axes(tuple(a.input.shape), tuple(a.perm)) or [(1, 1, 1)]
    _, *strides = loops(axes, a.input.dtype.itemsize)[-1]
    return strides == [1, 1] or (a.input.dtype.itemsize == 1 and 7 * max(strides) < 2**16)


CONSTRAINTS = (
    Constraint("C1", "input has rank 1..6", lambda a: 1 <= a.input.dim() <= RANK_MAX),
    Constraint(
        "C2",
        "perm is a permutation of 0..rank-1",
        lambda a: sorted(a.perm) == list(range(a.input.dim())),
    ),
    Constraint(
        "C3", "elements have 1, 2, 4 or 8 bytes", lambda a: a.input.dtype.itemsize in (1, 2, 4, 8)
    ),
)


def _lower(ctx: Any) -> torch.fx.Node:
    """``aten.permute_copy``; a view where no byte moves."""
    x = ctx.args.input
    shape = ctx.shape(x)
    perm = tuple(axis % len(shape) for axis in ctx.args.dims)
    if len(joined_axes(shape, perm)) <= 1:
        return ctx.view(x, ctx.shape(ctx.node))
    return ctx.call(OP.name, input=x, perm=list(perm))


OP = OpDef(
    name="transpose",
    schema="(Tensor input, int[] perm) -> Tensor",
    summary="any permutation of up to six axes, any dtype",
    fake=lambda a: a.input.new_empty([a.input.shape[i] for i in a.perm]),
    reference=reference,
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_transpose_mve",
            operands=("input", "out"),
            isa=Isa.MVE,
            accepts=_accepts_mve,
            params=_params,
        ),
        Kernel("ct_transpose", operands=("input", "out"), params=_params),
    ),
    lowerings=(
        Lowering(
            targets=("aten.permute_copy.default",),
            rewrite=_lower,
            needs_quantization=False,
            late=True,
        ),
    ),
)
