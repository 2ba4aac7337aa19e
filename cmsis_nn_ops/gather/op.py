"""Entries of one axis picked by an index, any dtype; the contract is in ``gather.h``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from cmsis_nn_ops import axis
from cmsis_nn_ops.gather import lowering
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, OpDef


def fake(a: Args) -> torch.Tensor:
    return a.input.new_empty(_output_shape(a))


def _output_shape(a: Args) -> list[int]:
    shape = list(a.input.shape)
    shape[a.dim] = a.index.shape[a.dim]
    return shape


def reference(a: Args) -> torch.Tensor:
    length = a.input.shape[a.dim]
    index = torch.where(a.index < 0, a.index + length, a.index).to(torch.int64)
    return torch.gather(a.input, a.dim, index.expand(_output_shape(a)))


def _params(a: Args) -> dict[str, Any]:
    outer, length, inner = axis.split(a.input.shape, a.dim)
    index_outer, count, entries = axis.split(a.index.shape, a.dim)
    return {
        "outer": outer,
        "length": length,
        "count": count,
        "entries": entries,
        "entry_bytes": inner // entries * a.input.dtype.itemsize,
        "index_step": count * entries if index_outer > 1 else 0,
        "index_bytes": a.index.dtype.itemsize,
    }


def _is_one_or_all(index: Sequence[int], sizes: Sequence[int]) -> bool:
    return all(i == 1 for i in index) or tuple(index) == tuple(sizes)


CONSTRAINTS = (
    Constraint("C1", "input has the axis dim", lambda a: axis.has(a.input.shape, a.dim)),
    Constraint(
        "C2",
        "index is int32 or int64, of the input's rank",
        lambda a: a.index.dtype in (torch.int32, torch.int64) and a.index.dim() == a.input.dim(),
    ),
    Constraint(
        "C3",
        "in front of the axis all sizes of the index are 1 or the input's; behind it, too",
        lambda a: (
            _is_one_or_all(a.index.shape[: (d := a.dim % a.input.dim())], a.input.shape[:d])
            and _is_one_or_all(a.index.shape[d + 1 :], a.input.shape[d + 1 :])
        ),
    ),
    Constraint("C4", "nothing is empty", lambda a: a.input.numel() > 0 and a.index.numel() > 0),
)


def _permuted(a: Args, perm: tuple[int, ...]) -> dict[str, Any]:
    dim = axis.moved(a.dim, perm)
    sizes = [(a.input.shape[p], a.index.shape[p]) for p in perm]
    for part in (sizes[:dim], sizes[dim + 1 :]):
        if not _is_one_or_all([i for _, i in part], [n for n, _ in part]):
            raise LookupError("the index would repeat along some of the neighbouring axes only")
    return {"dim": dim}


OP = OpDef(
    name="gather",
    schema="(Tensor input, int dim, Tensor index) -> Tensor",
    summary="Entries of an axis by index: embedding, nearest upsampling, flips, reflecting pads",
    fake=fake,
    reference=reference,
    constraints=CONSTRAINTS,
    kernels=(Kernel("ct_gather", operands=("input", "index", "out"), params=_params),),
    patterns=lowering.PATTERNS,
    lowerings=lowering.LOWERINGS,
    preserve=lowering.PRESERVE,
    permuted=_permuted,
)
