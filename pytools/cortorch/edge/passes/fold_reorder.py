"""permute -> flatten -> operator with weights over the flat features: the weights are reordered
instead.

Channels-last networks end so: the feature map is flattened in NCHW order for the first linear
layer.
"""

from __future__ import annotations

from math import prod

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from cortorch.edge import graph
from cortorch.edge.dialect import operator_of
from cortorch.edge.graph import overload_name, shape_of


def run(ep: ExportedProgram) -> None:
    for node in graph.calls(ep):
        op = operator_of(node.target)
        if op is not None and op.absorbs_reorder is not None:
            _fold(ep, node)
    graph.sweep(ep)


def _fold(ep: ExportedProgram, node: Node) -> None:
    op = operator_of(node.target)
    assert op is not None
    assert op.absorbs_reorder is not None
    flat = node.args[op.argument_names.index("input")]
    if not isinstance(flat, Node) or overload_name(flat) != "aten.view_copy.default":
        return
    permuted = flat.args[0]
    if not isinstance(permuted, Node) or overload_name(permuted) != "aten.permute_copy.default":
        return
    source, perm = permuted.args[0], list(permuted.args[1])
    assert isinstance(source, Node)
    shape = shape_of(source)
    kept = _leading(shape, perm, shape_of(flat))
    if kept is None:
        return
    features = torch.arange(prod(shape[kept:])).reshape([shape[p] for p in perm[kept:]])
    inverse = [perm.index(d) - kept for d in range(kept, len(shape))]
    order = features.permute(inverse).flatten()
    args = op.bind([_data(ep, a) for a in node.args])
    for name, data in op.absorbs_reorder(args, order).items():
        node.update_arg(
            op.argument_names.index(name), graph.add_constant(ep, f"{node.name}_{name}", data)
        )
    node.replace_input_with(flat, graph.view(node, source, shape_of(flat)))


def _leading(shape: tuple[int, ...], perm: list[int], flat: tuple[int, ...]) -> int | None:
    """Number of leading dimensions that stay, if the others are flattened into the last one of
    ``flat``."""
    kept = len(flat) - 1
    if perm[:kept] != list(range(kept)) or flat[:kept] != shape[:kept]:
        return None
    return kept if flat[-1] == prod(shape[kept:]) else None


def _data(ep: ExportedProgram, argument: object) -> object:
    if isinstance(argument, Node):
        data = graph.constant_data(ep, argument)
        return argument.meta["val"] if data is None else data
    return argument
