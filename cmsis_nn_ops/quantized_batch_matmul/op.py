"""int8 product of two computed matrices; the contract is in ``quantized_batch_matmul.h``."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern
from cmsis_nn_ops.spatial import UINT16_MAX

# In this schema lhs_zero_point and rhs_zero_point are what is added: minus the zero points. The
# names are upstream's.
SCHEMA = (
    "(Tensor lhs, int lhs_zero_point, Tensor rhs_transposed, int rhs_zero_point, "
    "int output_zero_point, int output_multiplier, int output_shift, Tensor scratch) -> Tensor"
)
LARGEST_FACTOR = 256.0
"""From this factor on every sum but 0 saturates; a larger one changes nothing."""


def _batches(a: Args) -> int:
    return int(max(a.lhs.shape[0], a.rhs_transposed.shape[0]))


def fake(a: Args) -> torch.Tensor:
    return a.lhs.new_empty((_batches(a), a.lhs.shape[1], a.rhs_transposed.shape[1]))


def _accumulate(a: Args) -> torch.Tensor:
    """Exact in float64: |sum| < 2**53."""
    x = a.lhs.double() + a.lhs_zero_point
    y = a.rhs_transposed.double() + a.rhs_zero_point
    return (x @ y.transpose(1, 2)).to(torch.int64)


def reference(a: Args) -> torch.Tensor:
    y = fp.requantize(_accumulate(a), a.output_multiplier, a.output_shift)
    return fp.saturate_int8(y + a.output_zero_point)


def ideal(a: Args) -> torch.Tensor:
    factor = a.output_multiplier * 2.0 ** (a.output_shift - 31)
    return (_accumulate(a) * factor + a.output_zero_point).clamp(-128, 127)


def _step(matrices: torch.Tensor) -> int:
    return 0 if matrices.shape[0] == 1 else int(matrices[0].numel())


def _params(a: Args) -> dict[str, Any]:
    return {
        "lhs_step": _step(a.lhs),
        "rhs_step": _step(a.rhs_transposed),
        "multiplier": a.output_multiplier,
        "batches": _batches(a),
        "rows": a.lhs.shape[1],
        "columns": a.rhs_transposed.shape[1],
        "inner": a.lhs.shape[2],
        "lhs_offset": a.lhs_zero_point,
        "rhs_offset": a.rhs_zero_point,
        "shift": a.output_shift,
        "output_zero_point": a.output_zero_point,
    }


CONSTRAINTS = (
    Constraint(
        "C1",
        "lhs, rhs_transposed are int8 of rank 3, with sizes in 1..65535",
        lambda a: all(
            t.dtype == torch.int8
            and t.dim() == 3
            and min(t.shape) > 0
            and max(t.shape) <= UINT16_MAX
            for t in (a.lhs, a.rhs_transposed)
        ),
    ),
    Constraint(
        "C2",
        "both have as many batches, or one of them has 1; their last dimensions agree",
        lambda a: (
            a.lhs.shape[2] == a.rhs_transposed.shape[2]
            and len({a.lhs.shape[0], a.rhs_transposed.shape[0]} - {1}) <= 1
        ),
    ),
    Constraint(
        "C3",
        "lhs_zero_point, rhs_zero_point (negated) are in -127..128, output_zero_point is int8",
        lambda a: (
            min(a.lhs_zero_point, a.rhs_zero_point) >= -127
            and max(a.lhs_zero_point, a.rhs_zero_point) <= 128
            and -128 <= a.output_zero_point <= 127
        ),
    ),
    Constraint(
        "C4",
        "the multiplier is in 0..2**31-1, the shift in -31..30",
        lambda a: 0 <= a.output_multiplier <= fp.INT32_MAX and -31 <= a.output_shift <= 30,
    ),
    Constraint(
        "C5",
        "no sum can leave int32, a left shift included",
        lambda a: a.lhs.shape[2] * 255 * 255 << max(a.output_shift, 0) <= fp.INT32_MAX,
    ),
)


def _lower(ctx: Any) -> torch.fx.Node:
    """``aten.bmm`` and ``aten.mm``."""
    x, y, out = ctx.quant("self"), ctx.quant("mat2"), ctx.out
    factor = x.scale * y.scale / out.scale
    multiplier, shift = fp.quantize_multiplier(min(factor, LARGEST_FACTOR))
    lhs, rhs = _matrices(ctx, ctx.args.self), _matrices(ctx, ctx.args.mat2)
    result = ctx.call(
        OP.name,
        lhs=lhs,
        lhs_zero_point=-x.zero_point,
        rhs_transposed=ctx.permute(rhs, (0, 2, 1)),
        rhs_zero_point=-y.zero_point,
        output_zero_point=out.zero_point,
        output_multiplier=multiplier,
        output_shift=shift,
        scratch=ctx.scratch(),
    )
    return ctx.view(result, ctx.shape(ctx.node))


def _matrices(ctx: Any, node: torch.fx.Node) -> torch.fx.Node:
    """[batches, rows, columns]; a matrix that is only repeated is taken once."""
    shape = ctx.shape(node)
    if len(shape) == 2:
        return ctx.view(node, [1, *shape])
    source = ctx.source_of(node, "aten.expand_copy.default")
    repeats = source is not None and ctx.shape(source) == (1, *shape[1:])
    return source if repeats else node


OP = OpDef(
    name="quantized_batch_matmul",
    schema=SCHEMA,
    summary="Products of computed matrices, with a batch; one matrix may serve the whole batch",
    fake=fake,
    reference=reference,
    ideal=ideal,
    ignored=("scratch",),
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_quantized_batch_matmul",
            operands=("lhs", "rhs_transposed", "out"),
            params=_params,
        ),
    ),
    # No activation is fused: the schema is upstream's and has no bounds.
    patterns=(
        Pattern(targets=("aten.bmm.default", "aten.mm.default"), activations=("self", "mat2")),
    ),
    lowerings=(Lowering(targets=("aten.bmm.default", "aten.mm.default"), rewrite=_lower),),
    macs=lambda a: a.out.numel() * a.lhs.shape[2],
)
