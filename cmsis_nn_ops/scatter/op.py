"""Entries set or added to by index, any dtype; the contract is in ``scatter.h``."""

from __future__ import annotations

from math import prod
from typing import Any

import torch

from cmsis_nn_ops import ordering
from cmsis_nn_ops.op_def import Args, Constraint, Kernel, OpDef
from cmsis_nn_ops.scatter import lowering

AXES_MAX = 6
"""CT_SCATTER_AXES."""


def _parts(a: Args) -> tuple[int, list[int], int]:
    """(outer, sizes of the indexed axes, entry)."""
    end = a.dim + len(a.indices)
    shape = list(a.input.shape)
    return prod(shape[: a.dim]), shape[a.dim : end], prod(shape[end:])


def _flat_places(a: Args) -> torch.Tensor:
    """[count]: where each index goes, in entries."""
    _, sizes, _ = _parts(a)
    flat = torch.zeros_like(a.indices[0], dtype=torch.int64)
    for index, size in zip(a.indices, sizes, strict=True):
        index = index.to(torch.int64)
        index = torch.where(index < 0, index + size, index)
        if bool(((index < 0) | (index >= size)).any()):
            raise IndexError(f"an index is out of range for an axis of {size}")
        flat = flat * size + index
    return flat


def reference(a: Args) -> torch.Tensor:
    outer, sizes, entry = _parts(a)
    out = a.input.contiguous().clone().view(outer, prod(sizes), entry)
    values = a.values.reshape(outer, -1, entry)
    for c, place in enumerate(_flat_places(a).tolist()):
        if not a.accumulate:
            out[:, place] = values[:, c]
        elif out.dtype == torch.int8:
            total = out[:, place].int() + values[:, c].int() - a.zero_point
            out[:, place] = total.clamp(-128, 127).to(torch.int8)
        else:
            out[:, place] += values[:, c]
    return out.view(a.input.shape)


def _params(a: Args) -> dict[str, Any]:
    outer, sizes, entry = _parts(a)
    return {
        "outer": outer,
        "count": a.indices[0].numel(),
        "entry": entry,
        "sizes": sizes,
        "axes": len(sizes),
        "index_bytes": a.indices[0].dtype.itemsize,
        "kind": ordering.KINDS[a.input.dtype],
        "accumulate": int(a.accumulate),
        "zero_point": a.zero_point,
    }


def _indices_fit(a: Args) -> bool:
    first = a.indices[0]
    known = first.dtype in (torch.int32, torch.int64) and first.dim() == 1 and first.numel() > 0
    return known and all(i.dtype == first.dtype and i.shape == first.shape for i in a.indices)


def _values_fit(a: Args) -> bool:
    shape = list(a.input.shape)
    wanted = [*shape[: a.dim], a.indices[0].numel(), *shape[a.dim + len(a.indices) :]]
    return a.values.dtype == a.input.dtype and list(a.values.shape) == wanted


def _adds(a: Args) -> bool:
    if not a.accumulate or a.input.dtype != torch.int8:
        adds = a.input.dtype not in (torch.uint8, torch.bool) or not a.accumulate
        return adds and a.zero_point == 0
    return -128 <= a.zero_point <= 127


CONSTRAINTS = (
    Constraint(
        "C1",
        "input is int8, uint8, bool, int32, int64 or float32, and not empty",
        lambda a: a.input.dtype in ordering.KINDS and a.input.numel() > 0,
    ),
    Constraint(
        "C2",
        "input has the axes dim, dim + 1, ..., one for each of 1..6 indices",
        lambda a: 1 <= len(a.indices) <= AXES_MAX and 0 <= a.dim <= a.input.dim() - len(a.indices),
    ),
    Constraint("C3", "the indices are int32 or int64, of one shape [count]", _indices_fit),
    Constraint(
        "C4", "values have the input's dtype, and count entries for those axes", _values_fit
    ),
    Constraint(
        "C5",
        "what is added is no bool or uint8; the zero point is int8, and 0 unless int8 is added",
        _adds,
    ),
)


OP = OpDef(
    name="scatter",
    schema=(
        "(Tensor input, Tensor[] indices, Tensor values, int dim, bool accumulate, int zero_point)"
        " -> Tensor"
    ),
    summary="Entries set or added to by indices: index_put, scatter, any dtype",
    fake=lambda a: a.input.new_empty(a.input.shape),
    reference=reference,
    constraints=CONSTRAINTS,
    kernels=(
        Kernel(
            "ct_scatter",
            operands=("input", "indices*", "values", "out"),
            params=_params,
            in_place=("input",),
        ),
    ),
    patterns=lowering.PATTERNS,
    lowerings=lowering.LOWERINGS,
    preserve=lowering.PRESERVE,
)
