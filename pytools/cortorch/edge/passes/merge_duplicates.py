"""Nodes that compute the same from the same are one node."""

from __future__ import annotations

from typing import Any

import torch
from executorch.exir import memory
from torch.export import ExportedProgram

from cortorch.edge import graph


def run(ep: ExportedProgram) -> None:
    seen: dict[Any, torch.fx.Node] = {}
    for node in graph.calls(ep):
        if node.target is memory.alloc:  # each has bytes of its own
            continue
        key = node.target, _frozen(node.args), _frozen(node.kwargs)
        first = seen.setdefault(key, node)
        if first is not node:
            graph.replace(node, first)
    graph.sweep(ep)


def _frozen(value: Any) -> Any:
    """A hashable twin; 1, 1.0 and True stay apart."""
    if isinstance(value, dict):
        return tuple((k, _frozen(v)) for k, v in sorted(value.items()))
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(v) for v in value)
    return type(value), repr(value) if isinstance(value, float) else value
