"""The door of a program: which inputs and outputs are quantized, and how to hand over int8 instead
of float."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from cortorch.edge import graph
from cortorch.edge.dialect import operator_of


@dataclass(frozen=True)
class BoundaryPort:
    """An input or output with the conversion behind or before it, if there is just one."""

    name: str
    node: Node
    conversion: Node | None
    scale: float | None = None
    zero_point: int | None = None

    def as_json(self, quantized: bool) -> dict[str, Any]:
        """What the .pte's metadata says of it; scale and zero point if it is int8 itself."""
        known = quantized and self.conversion is not None
        return {
            "name": self.name,
            "scale": self.scale if known else None,
            "zero_point": self.zero_point if known else None,
        }


@dataclass(frozen=True)
class Boundary:
    inputs: list[BoundaryPort]
    outputs: list[BoundaryPort]


def boundary_quantization(ep: ExportedProgram) -> Boundary:
    """Every user input and tensor output with its conversion between float and int8."""
    inputs = [
        _input(n)
        for n in ep.graph.nodes
        if n.name in ep.graph_signature.user_inputs and n.op == "placeholder"
    ]
    results = next(n for n in ep.graph.nodes if n.op == "output").args[0]
    outputs = [_output(n) for n in results if isinstance(n, Node)]
    return Boundary(inputs, outputs)


def _converts(node: Node) -> bool:
    """A conversion between real numbers and int8: it has a scale, a zero point and a dtype of its
    own."""
    op = operator_of(node.target) if node.op == "call_function" else None
    return op is not None and {"scale", "zero_point", "dtype"} <= set(op.argument_names)


def _port(name: str, node: Node, conversion: Node | None) -> BoundaryPort:
    if conversion is None:
        return BoundaryPort(name, node, None)
    op = operator_of(conversion.target)
    assert op is not None
    args = op.bind(conversion.args)
    return BoundaryPort(name, node, conversion, float(args.scale), int(args.zero_point))


def _input(node: Node) -> BoundaryPort:
    users = list(node.users)
    conversion = users[0] if len(users) == 1 and _converts(users[0]) else None
    return _port(node.name, node, conversion)


def _output(node: Node) -> BoundaryPort:
    return _port(node.name, node, node if _converts(node) and node.args[0] is not node else None)


def strip_boundary(ep: ExportedProgram, boundary: Boundary) -> None:
    """Quantized inputs become int8 placeholders, quantized outputs end before their
    dequantization."""
    for port in boundary.inputs:
        if port.conversion is not None:
            port.node.meta["val"] = graph.fake_like(
                port.node, graph.shape_of(port.node), torch.int8
            )
            graph.replace(port.conversion, port.node)
    output = next(n for n in ep.graph.nodes if n.op == "output")
    for port in boundary.outputs:
        if port.conversion is not None and port.conversion.op == "call_function":
            source = port.conversion.args[0]
            assert isinstance(source, Node)
            output.replace_input_with(port.conversion, source)
    graph.sweep(ep)
