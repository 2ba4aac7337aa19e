"""An int8 clamp that changes no parameters becomes the bounds of the operator before it."""

from __future__ import annotations

from torch.export import ExportedProgram
from torch.fx import Node

from cortorch.edge import graph
from cortorch.edge.quant_info import QUANT, QuantInfo, quant_of
from cortorch.quantization.activation import Bounds, bounds_of
from cortorch.quantization.patterns import operators_for


def run(ep: ExportedProgram) -> None:
    for node in graph.calls(ep):
        bounds, info = bounds_of(node), quant_of(node)
        source = node.args[0] if node.args else None
        if bounds is None or info is None or not isinstance(source, Node) or not _takes(source):
            continue
        producer = quant_of(source)
        if producer is not None and _keeps_parameters(info):
            source.meta[QUANT] = producer.replace(bounds=_then(producer.bounds, bounds))
            graph.replace(node, source)
    graph.sweep(ep)


def _takes(source: Node) -> bool:
    """Whether the producer applies bounds, and nobody else sees its unbounded output."""
    return len(source.users) == 1 and any(
        pattern.fuses_activation
        for op in operators_for(graph.overload_name(source))
        for pattern in op.patterns
    )


def _keeps_parameters(info: QuantInfo) -> bool:
    (_, params), *others = info.all_inputs()
    return not others and info.output is not None and params.same(info.output)


def _then(first: Bounds, second: Bounds) -> Bounds:
    """Bounds of one clamp after another."""
    low, high = second
    return min(max(first[0], low), high), min(max(first[1], low), high)
