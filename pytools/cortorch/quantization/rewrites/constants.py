"""Computes on the host whatever depends on parameters, buffers and literals only."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from cortorch.quantization.aliasing import is_written
from cortorch.quantization.captured import add_constant, calls, constant_data, tensor_of


def run(module: GraphModule) -> None:
    for node in calls(module):
        if _is_pure(node):
            inputs = {n: constant_data(module, n) for n in node.all_input_nodes}
            if all(data is not None for data in inputs.values()):
                _fold(module, node, inputs)


def _is_pure(node: Node) -> bool:
    target = node.target
    return (
        isinstance(target, torch._ops.OpOverload)
        and not target._schema.is_mutable
        and torch.Tag.nondeterministic_seeded not in target.tags
        and tensor_of(node) is not None
        and not is_written(node)
    )


def _fold(module: GraphModule, node: Node, inputs: dict[Node, torch.Tensor | None]) -> None:
    args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda n: inputs[n])
    with torch.no_grad():
        value = node.target(*args, **kwargs)
    constant = add_constant(module, f"{node.name}_folded", value, node)
    node.replace_all_uses_with(constant)
    module.graph.erase_node(node)
