"""What calls of a .pte mean in the dialect, whoever wrote the file.

ExecuTorch's Cortex-M backend has operators besides ours, and keeps images channels-last by strides
where ours have their axes in that order. A tensor is read with its axes in the order of memory, and
the arguments of its operators follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import torch

from cmsis_nn_ops import Declaration, Foreign, OpDef, foreign, operators
from cortorch.forms.ir import Argument, Call, Value, Written, values_in

CHANNELS_LAST = (0, 2, 3, 1)

Order = tuple[int, ...]


def declaration(name: str) -> Declaration | None:
    """The operator of that name, ours or not, if we have a kernel for it."""
    return operators().get(name) or foreign().get(name, (None,))[0]


def in_memory(sizes: Sequence[int], order: Sequence[int]) -> tuple[Order, Order | None]:
    """(shape in the order of memory, that order) of a .pte's tensor; None if it is contiguous."""
    if _moving(sizes, order) == _moving(sizes, range(len(sizes))):
        return tuple(sizes), None
    return tuple(sizes[axis] for axis in order), tuple(order)


def _moving(sizes: Sequence[int], order: Sequence[int]) -> list[int]:
    """Axes that matter for where an element is."""
    return [axis for axis in order if sizes[axis] != 1]


def reordered(value: Value, order: Order | None) -> Value:
    """The same bytes, axes in another order.

    Raises:
        LookupError: that would take a copy.
    """
    if value.order == order:
        return value
    sizes = value.sizes
    wanted, own = (order or range(len(sizes)), value.order or range(len(sizes)))
    if len(wanted) != len(sizes) or _moving(sizes, wanted) != _moving(sizes, own):
        raise LookupError(
            f"a tensor {list(sizes)} is stored in dim order {list(own)} where the operator needs "
            f"{list(wanted)}"
        )
    shape = tuple(sizes[axis] for axis in wanted)
    return Value(value.name, shape, value.dtype, view_of=value, order=order)


def translated(written: Written, name: str) -> Call:
    """The call of ours. Its output holds the bytes of ``written.out``, which becomes a view of it
    where the two differ.

    Raises:
        LookupError: we have no such call; the text says why.
    """
    other = written.op if isinstance(written.op, Foreign) else None
    op = foreign()[other.name][1] if other else operators()[written.op.name]
    if op is permute_operator():
        return _permutation(written, name)
    order = _order(written, other)
    args = {n: _each(a, None if n in op.constants else order) for n, a in written.args.items()}
    if order is None:
        return Call(op, written.args, written.out, name)
    if other is None:
        args |= _permuted(op, written, order)
    out = reordered(written.out, order)
    if out is not written.out:  # the other way round: the call's output owns the bytes
        out = replace(out, view_of=None)
        written.out.view_of = out
    return Call(op, args, out, name, written)


def _order(written: Written, other: Foreign | None) -> Order | None:
    if other is not None:
        return CHANNELS_LAST
    values = [v for argument in written.arguments().values() for v in values_in(argument)]
    return next((v.order for v in values if v.order is not None), None)


def _each(argument: Argument, order: Order | None) -> Argument:
    if isinstance(argument, Value):
        return reordered(argument, order)
    if isinstance(argument, list) and any(isinstance(a, Value) for a in argument):
        return [reordered(v, order) for v in values_in(argument)]
    return argument


def _permuted(op: OpDef, written: Written, order: Order) -> Mapping[str, Any]:
    """Arguments that change with the order of the axes."""
    if op.permuted is None:
        raise LookupError(f"a tensor is stored in dim order {list(order)}; it must be contiguous")
    logical = {n: _logical(a) for n, a in written.args.items()}
    return op.permuted(op.bind(logical), order)


def _logical(argument: Argument) -> Any:
    if isinstance(argument, Value):
        return torch.empty(argument.sizes, dtype=argument.dtype, device="meta")
    if isinstance(argument, list):
        return [_logical(a) for a in argument]
    return argument


@cache
def permute_operator() -> OpDef:
    """The one that copies with the axes in another order: (input, order of the axes)."""
    return next(
        op
        for op in operators().values()
        if any("aten.permute_copy.default" in lowering.targets for lowering in op.lowerings)
    )


def copied(source: Value, out: Value, name: str, axes: Sequence[int] | None = None) -> Call:
    """The call that makes ``out`` of a tensor: its axes, or those in another order, copied to where
    the order of ``out`` wants them."""
    rank = range(len(source.shape))
    own, axes = source.order or rank, axes or rank
    perm = [own.index(axes[axis]) for axis in out.order or rank]
    op = permute_operator()
    return Call(op, dict(zip(op.argument_names, (source, perm), strict=True)), out, name)


def _permutation(written: Written, name: str) -> Call:
    source, axes = written.args.values()
    assert isinstance(source, Value)
    if source.order is None and written.out.order is None:
        return Call(permute_operator(), written.args, written.out, name)
    if not isinstance(axes, list) or len(axes) != len(source.shape):
        raise LookupError(f"{axes} is no order of the axes of {list(source.sizes)}")
    call = copied(source, written.out, name, [int(a) for a in axes if isinstance(a, int)])
    return replace(call, translated=written)
