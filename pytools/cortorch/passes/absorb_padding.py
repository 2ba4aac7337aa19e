"""A zero pad of height and width becomes the padding of the convolution behind it, lopsided or
not."""

from __future__ import annotations

from torch.export import ExportedProgram
from torch.fx import Node

from cortorch import graph
from cortorch.graph import overload_name
from cortorch.lowering import ABSORBED_PADDING
from cortorch.quant_info import quant_of

CONSUMER = "aten.convolution.default"


def run(ep: ExportedProgram) -> None:
    for node in graph.calls(ep, CONSUMER):
        source = node.args[0]
        transposed = node.args[6]
        if not transposed and isinstance(source, Node) and _absorbable(source):
            width, height = _pairs(source)
            node.meta[ABSORBED_PADDING] = (height[0], width[0], height[1], width[1])
            node.replace_input_with(source, source.args[0])
    graph.sweep(ep)


def _pairs(pad: Node) -> tuple[tuple[int, int], tuple[int, int]]:
    """(before, after) of width and of height."""
    pads = [int(p) for p in pad.args[1]] + [0] * 4
    return (pads[0], pads[1]), (pads[2], pads[3])


def _absorbable(node: Node) -> bool:
    if overload_name(node) != "aten.constant_pad_nd.default" or quant_of(node) is None:
        return False
    pads = list(node.args[1])
    value = node.args[2] if len(node.args) > 2 else 0
    return len(graph.shape_of(node)) == 4 and len(pads) <= 4 and min(pads) >= 0 and value == 0
