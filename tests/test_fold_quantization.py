"""Folding q and dq into nodes changes no bit, and can be undone."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.export import ExportedProgram

from cortorch.edge import graph
from cortorch.edge.passes import (
    restore_float,
)
from cortorch.edge.quant_info import quant_of
from quantization import (
    FoldedInterpreter,
    float_calls,
    fold,
    quantize,
    quantized_case,
    to_edge_program,
)
from quantized_modules import FLOAT, INT8, Call, V, With, X, build


def program_of(module: nn.Module, inputs: tuple[Any, ...]) -> ExportedProgram:
    quantized, _ = quantize(module, [inputs])
    return to_edge_program(quantized, inputs)


def equal(one: Any, other: Any) -> bool:
    pairs = zip(one, other, strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("name", INT8)
def test_int8(name: str) -> None:
    _, inputs = build(INT8, name)
    program = to_edge_program(quantized_case("INT8", name)[0], inputs)
    wanted = FoldedInterpreter(program).run_inputs(*inputs)
    fold(program)
    assert float_calls(program) == []
    assert equal(FoldedInterpreter(program).run_inputs(*inputs), wanted)
    for node in list(program.graph.nodes):
        restore_float.restore(program, node)
    program.graph.lint()
    assert not any(quant_of(n) for n in program.graph.nodes)
    assert equal(FoldedInterpreter(program).run_inputs(*inputs), wanted)


@pytest.mark.parametrize("name", FLOAT)
def test_float(name: str) -> None:
    _, inputs = build(FLOAT, name)
    program = to_edge_program(quantized_case("FLOAT", name)[0], inputs)
    wanted = FoldedInterpreter(program).run_inputs(*inputs)
    fold(program)
    assert len(float_calls(program)) >= len(FLOAT[name][2])
    assert equal(FoldedInterpreter(program).run_inputs(*inputs), wanted)


def test_bounds_are_fused() -> None:
    module = With(lambda s, x: s.c(x).clamp(0.1, 6), c=nn.Conv2d(4, 4, 3))
    program = fold(program_of(module, (X,)))
    (node,) = [n for n in graph.calls(program) if quant_of(n)]
    info = quant_of(node)
    assert info is not None
    assert info.bounds == (0.1, 6.0)
    assert set(info.inputs) == {"input", "weight", "bias"}


def test_consecutive_clamps_of_equal_parameters() -> None:
    module = With(lambda s, x: s.c(x).clamp(-6, 6).clamp(min=0), c=nn.Conv2d(4, 4, 3))
    program = program_of(module, (X,))
    wanted = FoldedInterpreter(program).run_inputs(X)
    assert equal(FoldedInterpreter(fold(program)).run_inputs(X), wanted)


def test_left_in_float_by_the_user_is_not_folded() -> None:
    from cortorch.quantization.quantizer import CortexMQuantizer

    module = Call(lambda x: (x * 2 + x) * 3)
    quantizer = CortexMQuantizer().set_operator_type("aten.add", None)
    quantized, _ = quantize(module, [(V,)], quantizer)
    program = fold(to_edge_program(quantized, (V,)))
    assert len(float_calls(program)) == 1
    (node,) = [n for n in graph.calls(program) if n.name in float_calls(program)]
    assert "set_operator_type('aten.add')" in node.meta["ct_reason"]


def test_requantization_stays_as_a_copy() -> None:
    module = Call(lambda a, b: torch.cat([a + a, b + b], 1))
    inputs = (100 * X, X)
    program = fold(program_of(module, inputs))
    (copy,) = list(graph.calls(program, "aten.clone.default"))
    info = quant_of(copy)
    assert info is not None
    assert info.output is not None
    assert info.inputs["self"].scale < info.output.scale / 50  # type: ignore[union-attr]
