"""int8 rows of a table, reduced bag by bag; the contract is in ``bagged_rows.h``."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, Lowering, OpDef, Pattern

SCHEMA = (
    "(Tensor weight, Tensor indices, Tensor offsets, int mode, bool include_last_offset, "
    "int padding_index, int weight_zero_point, int output_zero_point, "
    "int output_multiplier, int output_shift) -> Tensor"
)
FUNCTION = "cortorch.reduced_rows.default"
"""What a bag of embeddings has become in captured graphs."""
SUM, MEAN, MAX = range(3)
INDICES_MAX = 2**15
"""Of which sums of 255 * 256 stay in int32."""


def _bags(a: Args) -> int:
    return int(a.offsets.numel()) - int(a.include_last_offset)


def fake(a: Args) -> torch.Tensor:
    return a.weight.new_empty((_bags(a), a.weight.shape[1]))


def _rows(a: Args) -> list[torch.Tensor]:
    """Of each bag: its rows, less the zero point."""
    ends = [*a.offsets.tolist(), a.indices.numel()]
    found = []
    for begin, end in pairwise(ends[: _bags(a) + 1]):
        if not 0 <= begin <= end <= a.indices.numel():
            raise IndexError(f"a bag has the indices {begin} to {end} of {a.indices.numel()}")
        picked = a.indices[begin:end]
        picked = picked[picked != a.padding_index].to(torch.int64)
        found.append(a.weight[picked].to(torch.int64) - a.weight_zero_point)
    return found


def _accumulated(a: Args, rows: torch.Tensor) -> torch.Tensor:
    if len(rows) == 0:
        return rows.new_zeros(rows.shape[1])
    return rows.amax(0) if a.mode == MAX else rows.sum(0)


def _divisor(a: Args, rows: torch.Tensor) -> int:
    return max(1, len(rows)) if a.mode == MEAN else 1


def reference(a: Args) -> torch.Tensor:
    steps = [fp.divide(_accumulated(a, r) * 256, _divisor(a, r)) for r in _rows(a)]
    y = fp.requantize(torch.stack(steps), a.output_multiplier, a.output_shift)
    return fp.saturate_int8(y + a.output_zero_point)


def ideal(a: Args) -> torch.Tensor:
    factor = 256 * a.output_multiplier * 2.0 ** (a.output_shift - 31)
    real = [_accumulated(a, r).double() / _divisor(a, r) * factor for r in _rows(a)]
    return (torch.stack(real) + a.output_zero_point).clamp(-128, 127)


def _are_indices(*tensors: torch.Tensor) -> bool:
    dtype = tensors[0].dtype
    return dtype in (torch.int32, torch.int64) and all(
        t.dtype == dtype and t.dim() == 1 for t in tensors
    )


CONSTRAINTS = (
    Constraint(
        "C1",
        "weight is int8 of rank 2, and not empty",
        lambda a: a.weight.dtype == torch.int8 and a.weight.dim() == 2 and a.weight.numel() > 0,
    ),
    Constraint(
        "C2",
        "indices (at most 2**15) and offsets are both int32 or int64, of rank 1; there is a bag",
        lambda a: (
            _are_indices(a.indices, a.offsets)
            and a.indices.numel() <= INDICES_MAX
            and _bags(a) >= 1
        ),
    ),
    Constraint("C3", "mode is in 0..2", lambda a: 0 <= a.mode <= 2),
    Constraint(
        "C4",
        "zero points are int8, and padding_index is a row or -1",
        lambda a: (
            all(-128 <= z <= 127 for z in (a.weight_zero_point, a.output_zero_point))
            and -1 <= a.padding_index < a.weight.shape[0]
        ),
    ),
    Constraint(
        "C5",
        "the multiplier is in 0..2**31-1, the shift in -31..0",
        lambda a: 0 <= a.output_multiplier <= fp.INT32_MAX and -31 <= a.output_shift <= 0,
    ),
)


def _params(a: Args) -> dict[str, Any]:
    return {
        "rows": a.weight.shape[0],
        "columns": a.weight.shape[1],
        "indices": a.indices.numel(),
        "bags": _bags(a),
        "offsets": a.offsets.numel(),
        "padding_index": a.padding_index,
        "multiplier": a.output_multiplier,
        "shift": a.output_shift,
        "weight_zero_point": a.weight_zero_point,
        "output_zero_point": a.output_zero_point,
        "mode": a.mode,
        "index_bytes": a.indices.dtype.itemsize,
    }


def _lower(ctx: Any) -> torch.fx.Node:
    a, weight, out = ctx.args, ctx.quant("weight"), ctx.out
    multiplier, shift = fp.quantize_multiplier(weight.scale / out.scale / 256)
    return ctx.call(
        OP.name,
        weight=a.weight,
        indices=a.indices,
        offsets=a.offsets,
        mode=a.mode,
        include_last_offset=a.include_last_offset,
        padding_index=a.padding_index,
        weight_zero_point=weight.zero_point,
        output_zero_point=out.zero_point,
        output_multiplier=multiplier,
        output_shift=shift,
    )


OP = OpDef(
    name="bagged_rows",
    schema=SCHEMA,
    summary="Sums, means or maxima of rows of a table, bag by bag",
    fake=fake,
    reference=reference,
    ideal=ideal,
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_bagged_rows",
            operands=("weight", "indices", "offsets", "out"),
            params=_params,
        ),
    ),
    patterns=(Pattern(targets=(FUNCTION,), activations=("weight",)),),
    lowerings=(Lowering(targets=(FUNCTION,), rewrite=_lower),),
)
