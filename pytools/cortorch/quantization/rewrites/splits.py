"""Splits become slices: one operator instead of seven, and no lists in the graph."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.fx import GraphModule, Node

from cortorch.edge.schema_args import bound
from cortorch.quantization.captured import calls, insert, name_of

_PIECES = frozenset(
    f"aten.{name}"
    for name in [
        "split.Tensor",
        "split.sizes",
        "split_with_sizes.default",
        "chunk.default",
        "tensor_split.sections",
        "tensor_split.indices",
    ]
)


def run(module: GraphModule) -> None:
    for node in calls(module):
        name = name_of(node)
        if name in _PIECES:
            _slices(node, [v.shape[_dim(node)] for v in node.meta["val"]], squeeze=False)
        elif name == "aten.unbind.int":
            _slices(node, [1] * len(node.meta["val"]), squeeze=True)
        elif name == "aten.select.int":
            _replace(node, node, bound(node)["index"], 1, squeeze=True)
        elif name == "aten.narrow.default" and isinstance(bound(node)["start"], int):
            _replace(node, node, bound(node)["start"], bound(node)["length"], squeeze=False)


def _dim(node: Node) -> int:
    rank = node.args[0].meta["val"].dim()
    return int(bound(node)["dim"] % rank)


def _slices(node: Node, sizes: Sequence[int], squeeze: bool) -> None:
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    for user in list(node.users):
        if name_of(user) == "getitem":
            index = user.args[1]
            _replace(user, node, starts[index], sizes[index], squeeze)
    if not node.users:
        node.graph.erase_node(node)


def _replace(piece: Node, split: Node, start: int, size: int, squeeze: bool) -> None:
    source, dim = split.args[0], _dim(split)
    start %= max(1, source.meta["val"].shape[dim])
    new = insert(piece, torch.ops.aten.slice.Tensor, (source, dim, start, start + size), split)
    if squeeze:
        new = insert(piece, torch.ops.aten.squeeze.dim, (new, dim), split)
    piece.replace_all_uses_with(new)
    piece.graph.erase_node(piece)
