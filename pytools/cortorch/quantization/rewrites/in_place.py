"""``relu_`` and its like become ``relu`` wherever nobody can see the difference.

Quantization puts nodes between a value and its users, so a write through an alias would get lost.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from cortorch.quantization.aliasing import aliased, base, writes_to
from cortorch.quantization.captured import calls


def run(module: GraphModule) -> None:
    for node in calls(module):
        functional = _functional(node)
        if functional is not None and not _is_state(base(node)) and not _seen_elsewhere(node):
            node.target = functional


def modified(module: GraphModule) -> set[Node]:
    """Values that something writes to in place, with all their aliases."""
    bases = {base(n) for n in calls(module) if _writes(n)}
    return {n for n in module.graph.nodes if base(n) in bases}


def _writes(node: Node) -> bool:
    return any(writes_to(node, source) for source in node.all_input_nodes)


def _functional(node: Node) -> Any:
    """``aten.add.Tensor`` for ``aten.add_.Tensor``; None without a write or a twin."""
    if not _writes(node):
        return None
    namespace, name = node.target._schema.name.split("::")
    packet = getattr(getattr(torch.ops, namespace), name.removesuffix("_"), None)
    return getattr(packet, node.target._overloadname, None)


def _is_state(node: Node) -> bool:
    return node.op == "get_attr"


def _seen_elsewhere(write: Node) -> bool:
    """True if something later reads the written memory under a name from before the write."""
    memory = base(write)
    nodes = list(write.graph.nodes)
    later = nodes[nodes.index(write) + 1 :]
    before = {n for n in nodes if base(n) is memory} - _derived(write, later)
    return any(source in before for n in later for source in n.all_input_nodes)


def _derived(write: Node, later: list[Node]) -> set[Node]:
    found = {write}
    for node in later:
        if aliased(node) in found:
            found.add(node)
    return found
