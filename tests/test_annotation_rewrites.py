"""The rewrites before annotation keep the function of a captured module."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._pytree import tree_leaves

from cortorch.quantization.annotation import transform_for_annotation
from quantization import capture
from quantized_modules import FLOAT, INT8, Call, V, With, X, build, trained_norm

MODULES = {**INT8, **FLOAT}


class Checked(torch.fx.Interpreter):
    """Runs a graph and compares every result with its meta."""

    def run_node(self, n: torch.fx.Node) -> object:
        result = super().run_node(n)
        if isinstance(result, torch.Tensor) and n.op != "get_attr":
            assert result.shape == n.meta["val"].shape, n.name
            assert result.dtype == n.meta["val"].dtype, n.name
        return result


@pytest.mark.parametrize("name", MODULES)
def test_function_stays(name: str) -> None:
    module, inputs = build(MODULES, name)
    captured = transform_for_annotation(capture(module, inputs))
    captured.graph.lint()
    wanted, found = (tree_leaves(f(*inputs)) for f in (module, Checked(captured).run))
    for a, b in zip(wanted, found, strict=True):
        torch.testing.assert_close(b, a)


def names(module: torch.fx.GraphModule) -> list[str]:
    return [str(n.target) for n in module.graph.nodes if n.op == "call_function"]


def test_batch_norm_is_folded_where_that_is_right() -> None:
    once = nn.Sequential(nn.Conv2d(4, 4, 1), trained_norm(nn.BatchNorm2d(4)))
    twice = With(lambda s, x: s.block(s.block(x)), block=once)
    captured = capture(twice, (X,))
    assert names(captured).count("aten.batch_norm.default") == 2, "torchao folds these two itself"


def test_dropout_is_dropped() -> None:
    assert names(transform_for_annotation(capture(nn.Dropout(), (V,)))) == []


def test_constants_are_folded() -> None:
    module = With(lambda s, x: x + (s.b * 2 + torch.ones(12)).view(1, 12), b=torch.randn(12))
    assert names(transform_for_annotation(capture(module, (V,)))) == ["aten.add.Tensor"]


def test_random_numbers_are_not_folded() -> None:
    module = Call(lambda x: x + torch.rand(12))
    assert "aten.rand.default" in names(transform_for_annotation(capture(module, (V,))))


def test_changing_buffer_is_no_constant() -> None:
    def count(s: With, x: torch.Tensor) -> torch.Tensor:
        s.b.add_(1)
        return x + s.b * 2

    module = With(count, b=torch.zeros(12))
    transformed = names(transform_for_annotation(capture(module, (V,))))
    assert transformed == ["aten.add_.Tensor", "aten.mul.Tensor", "aten.add.Tensor"]


def test_buffer_that_changes_through_a_view_is_no_constant() -> None:
    def shift(s: With, x: torch.Tensor) -> torch.Tensor:
        s.b[1:] = x[0, :11]
        return (s.b * 2).sum() + x

    module = With(shift, b=torch.zeros(12))
    captured = transform_for_annotation(capture(module, (V,)))
    assert "aten.mul.Tensor" in names(captured)
    torch.testing.assert_close(captured(V), module(V))


def test_new_tensor_that_is_filled_is_no_constant() -> None:
    def place(x: torch.Tensor) -> torch.Tensor:
        y = torch.zeros(2, 12)
        y[:, :6] = x[:, 6:]
        return y + 1

    captured = transform_for_annotation(capture(Call(place), (V,)))
    for x in (V, V * 2):
        assert torch.equal(captured(x), place(x))


def test_in_place_becomes_functional() -> None:
    module = With(lambda s, x: F.hardtanh_(F.relu_(s.l(x))), l=nn.Linear(12, 4))
    assert names(transform_for_annotation(capture(module, (V,)))) == [
        "aten.linear.default",
        "aten.relu.default",
        "aten.hardtanh.default",
    ]
