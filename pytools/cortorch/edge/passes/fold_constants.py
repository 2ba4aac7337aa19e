"""Calls whose tensors are all constants are computed now."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from cortorch.edge import graph
from cortorch.edge.dialect import operator_of


def run(ep: ExportedProgram) -> None:
    for node in graph.calls(ep):
        if operator_of(node.target) is None and not graph.overload_name(node).startswith("aten."):
            continue
        inputs = node.all_input_nodes
        if inputs and all(graph.is_constant(ep, n) for n in inputs):
            _fold(ep, node)
    graph.sweep(ep)


def _fold(ep: ExportedProgram, node: Node) -> None:
    def data(argument: Any) -> Any:
        return graph.constant_data(ep, argument) if isinstance(argument, Node) else argument

    args, kwargs = torch.fx.node.map_aggregate((node.args, node.kwargs), data)
    result = node.target(*args, **kwargs)
    if isinstance(result, torch.Tensor):
        graph.replace(node, graph.add_constant(ep, node.name, result))
