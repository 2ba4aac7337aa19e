"""A zero pad becomes the padding of the convolution behind it, lopsided or not."""

from __future__ import annotations

from torch.export import ExportedProgram
from torch.fx import Node

from cortorch.edge import graph
from cortorch.edge.graph import overload_name
from cortorch.edge.lowering import ABSORBED_PADDING
from cortorch.edge.quant_info import quant_of

CONSUMER = "aten.convolution.default"


def run(ep: ExportedProgram) -> None:
    for node in graph.calls(ep, CONSUMER):
        source = node.args[0]
        transposed = node.args[6]
        if not transposed and isinstance(source, Node) and _absorbable(source):
            node.meta[ABSORBED_PADDING] = _pairs(source)
            node.replace_input_with(source, source.args[0])
    graph.sweep(ep)


def _pairs(pad: Node) -> list[tuple[int, int]]:
    """(before, after) of each spatial dimension."""
    pads = _pads(pad)
    pairs = list(zip(pads[::2], pads[1::2], strict=True))[::-1]
    return [(0, 0)] * (_dims(pad) - len(pairs)) + pairs


def _dims(pad: Node) -> int:
    return len(graph.shape_of(pad)) - 2


def _pads(pad: Node) -> list[int]:
    return [int(p) for p in pad.args[1]]


def _absorbable(node: Node) -> bool:
    if overload_name(node) != "aten.constant_pad_nd.default" or quant_of(node) is None:
        return False
    pads = _pads(node)
    value = node.args[2] if len(node.args) > 2 else 0
    return len(pads) <= 2 * _dims(node) and min(pads) >= 0 and value == 0
