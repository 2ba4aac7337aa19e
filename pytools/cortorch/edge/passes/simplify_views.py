"""A permute that only moves dimensions of size 1 is a view; a view of a view is one view; equal
views are one."""

from __future__ import annotations

from torch.export import ExportedProgram
from torch.fx import Node

from cortorch.edge import graph
from cortorch.edge.graph import shape_of


def run(ep: ExportedProgram) -> None:
    for node in graph.calls(ep, "aten.view_copy.default"):
        source = node.args[0]
        assert isinstance(source, Node)
        while graph.overload_name(source) == "aten.view_copy.default":
            source = source.args[0]
        graph.replace(node, graph.view(node, source, shape_of(node)))
    graph.sweep(ep)


def is_free(shape: tuple[int, ...], perm: list[int]) -> bool:
    """The elements stay in order: only dimensions of size 1 move."""
    moving = [p for p in perm if shape[p] != 1]
    return moving == sorted(moving)
