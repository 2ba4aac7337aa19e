"""The Python reference of every operator: against fake, ideal, and its own claims about layout."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from operator_cases import OperatorCase, accepted, same_bytes, tensors

by_accepted = pytest.mark.parametrize("case", accepted(), ids=lambda c: c.id)


@by_accepted
def test_fake_is_the_shape_and_dtype_of_the_reference(case: OperatorCase) -> None:
    expected = case.op.reference(case.op.bind(case.args()))
    for args in (case.bound(), case.baked()):
        made = case.op.fake(args)
        assert (made.shape, made.dtype) == (expected.shape, expected.dtype)


@by_accepted
def test_reference_is_near_the_ideal(case: OperatorCase) -> None:
    if case.op.ideal is None:
        return
    args = case.op.bind(case.args())
    error = (case.op.reference(args).double() - case.op.ideal(args)).abs().max()
    assert float(error) <= case.op.float_error_lsb


@by_accepted
def test_reference_leaves_its_inputs_alone(case: OperatorCase) -> None:
    args, twin = case.op.bind(case.args()), case.op.bind(case.args())
    case.op.reference(args)
    for name in case.op.tensor_arguments:
        for a, b in zip(tensors(getattr(args, name)), tensors(getattr(twin, name)), strict=True):
            assert same_bytes(a, b) or name in case.op.ignored


def permutations(rank: int) -> list[tuple[int, ...]]:
    """A few that tell axes apart: the last to the front, reversed, and two neighbours swapped."""
    axes = tuple(range(rank))
    if rank < 2:
        return []
    return sorted({axes[-1:] + axes[:-1], axes[::-1], (1, 0, *axes[2:])} - {axes})


@by_accepted
def test_reference_commutes_with_permutes(case: OperatorCase) -> None:
    """``OpDef.permuted``: the operator on permuted activations is its permuted output."""
    op = case.op
    args = op.bind(case.args())
    expected = op.reference(args)
    for perm in permutations(expected.dim()) if op.permuted is not None else []:
        try:
            changes = op.permuted(args, perm)
        except LookupError:
            continue
        activations = set(op.tensor_arguments) - set(op.constants) - set(op.ignored)
        moved = {n: _permute(getattr(args, n), perm) for n in activations}
        result = op.reference(op.bind({**vars(args), **moved, **changes}))
        assert same_bytes(result.contiguous(), expected.permute(perm).contiguous()), perm


def _permute(value: Any, perm: tuple[int, ...]) -> Any:
    if isinstance(value, list):
        return [_permute(v, perm) for v in value]
    whole = isinstance(value, torch.Tensor) and value.dim() == len(perm)
    return value.permute(perm).contiguous() if whole else value


@by_accepted
def test_reordered_features_change_nothing(case: OperatorCase) -> None:
    """``OpDef.absorbs_reorder``: features in another order, with the constants to match."""
    if case.op.absorbs_reorder is None:
        return
    args = case.op.bind(case.args())
    order = torch.arange(args.input.shape[-1]).flip(0)
    changed = {
        **vars(args),
        "input": args.input[..., order],
        **case.op.absorbs_reorder(args, order),
    }
    assert same_bytes(case.op.reference(case.op.bind(changed)), case.op.reference(args))
