"""Helpers for tests of the quantizer: the PT2E flow, and an interpreter of folded programs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import torch
from executorch.exir import to_edge
from torch.export import ExportedProgram, export
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

import quantized_modules
from cortorch.edge.compile_config import cortex_m_edge_compile_config
from cortorch.edge.passes import (
    canonicalize,
    fold_quantization,
    fuse_activation,
)
from cortorch.edge.quant_info import QParams, quant_of
from cortorch.edge.schema_args import bound
from cortorch.quantization.activation import UNBOUNDED
from cortorch.quantization.quantizer import CortexMQuantizer
from cortorch.quantization.rewrites.batch_norm import isolate

Inputs = tuple[Any, ...]


def capture(module: torch.nn.Module, inputs: Inputs) -> GraphModule:
    captured = export(module.eval(), inputs).module()
    isolate(captured)
    return captured


def prepare(
    module: torch.nn.Module, samples: Sequence[Inputs], quantizer: CortexMQuantizer | None = None
) -> tuple[GraphModule, CortexMQuantizer]:
    """The calibrated module."""
    quantizer = quantizer or CortexMQuantizer()
    prepared = prepare_pt2e(capture(module, samples[0]), quantizer)
    with torch.no_grad():
        for sample in samples:
            prepared(*sample)
    return prepared, quantizer


def quantize(
    module: torch.nn.Module, samples: Sequence[Inputs], quantizer: CortexMQuantizer | None = None
) -> tuple[GraphModule, CortexMQuantizer]:
    prepared, quantizer = prepare(module, samples, quantizer)
    return convert_pt2e(prepared), quantizer


@cache
def quantized_case(table: str, name: str) -> tuple[GraphModule, CortexMQuantizer]:
    """A row of ``quantized_modules`` after the flow; not to be changed."""
    module, inputs = quantized_modules.build(getattr(quantized_modules, table), name)
    return quantize(module, [inputs])


def to_edge_program(quantized: GraphModule, inputs: Inputs) -> ExportedProgram:
    config = cortex_m_edge_compile_config()
    program = to_edge(export(quantized, inputs), compile_config=config).exported_program()
    canonicalize.run(program)
    return program


def fold(program: ExportedProgram) -> ExportedProgram:
    fold_quantization.run(program)
    fuse_activation.run(program)
    program.graph.lint()
    return program


def float_calls(program: ExportedProgram) -> list[str]:
    """Calls that are neither folded to int8 nor the conversions between float and int8."""
    return [
        n.name
        for n in program.graph.nodes
        if n.op == "call_function" and quant_of(n) is None and "quantize_per" not in n.name
    ]


class FoldedInterpreter(torch.fx.Interpreter):
    """Runs a folded program: each int8 call is its float call between ``dq``, clamp and ``q``."""

    def __init__(self, program: ExportedProgram) -> None:
        super().__init__(program.graph_module)
        self._program = program

    def run_inputs(self, *inputs: Any) -> Any:
        constants = [
            self._program.state_dict.get(spec.target, self._program.constants.get(spec.target))
            for spec in self._program.graph_signature.input_specs
            if spec.target is not None
        ]
        return self.run(*constants, *inputs)

    def run_node(self, n: Node) -> Any:
        info = quant_of(n)
        if info is None:
            return _first(n, super().run_node(n))
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        args = [_real(a, info.inputs.get(name)) for name, a in zip(bound(n), args, strict=False)]
        result = _first(n, n.target(*args, **kwargs))  # type: ignore[operator]
        if info.bounds != UNBOUNDED:
            result = result.clamp(*info.bounds)
        assert info.output is not None
        stored = _stored(result, info.output)
        assert stored.dtype == n.meta["val"].dtype
        assert stored.shape == n.meta["val"].shape
        return stored


def _first(node: Node, result: Any) -> Any:
    """``canonicalize`` lets a call of several results stand for the first one."""
    return (
        result[0]
        if isinstance(node.meta.get("val"), torch.Tensor) and type(result) is tuple
        else result
    )


def _real(value: Any, params: Any) -> Any:
    if isinstance(params, list):
        return [_real(v, p) for v, p in zip(value, params, strict=True)]
    if params is None:
        return value
    op = torch.ops.quantized_decomposed
    limits = (params.quant_min, params.quant_max, params.dtype)
    if params.axis is None:
        return op.dequantize_per_tensor(value, params.scale, params.zero_point, *limits)
    scale = params.scale.float()
    return op.dequantize_per_channel(value, scale, params.zero_point, params.axis, *limits)


def _stored(value: torch.Tensor, params: QParams) -> torch.Tensor:
    return torch.ops.quantized_decomposed.quantize_per_tensor(
        value, params.scale, params.zero_point, params.quant_min, params.quant_max, params.dtype
    )
