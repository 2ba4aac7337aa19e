"""``relu_`` and its like become ``relu`` wherever nobody can see the difference.

Quantization puts nodes between a value and its users, so a write through an alias would get lost.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from cortorch.captured import calls, writes_to


def run(module: GraphModule) -> None:
    for node in calls(module):
        functional = _functional(node)
        if functional is not None and not _is_state(_base(node)) and not _seen_elsewhere(node):
            node.target = functional


def modified(module: GraphModule) -> set[Node]:
    """Values that something writes to in place, with all their aliases."""
    bases = {_base(n) for n in calls(module) if _writes(n)}
    return {n for n in module.graph.nodes if _base(n) in bases}


def _writes(node: Node) -> bool:
    return any(writes_to(node, source) for source in node.all_input_nodes)


def _functional(node: Node) -> Any:
    """``aten.add.Tensor`` for ``aten.add_.Tensor``; None without a write or a twin."""
    if not _writes(node):
        return None
    namespace, name = node.target._schema.name.split("::")
    packet = getattr(getattr(torch.ops, namespace), name.removesuffix("_"), None)
    return getattr(packet, node.target._overloadname, None)


def _base(node: Node) -> Node:
    """The value whose memory this one shares, through any number of views and writes."""
    source = _aliased(node)
    while source is not None:
        node, source = source, _aliased(source)
    return node


def _aliased(node: Node) -> Node | None:
    if node.op != "call_function":
        return None
    schema = getattr(node.target, "_schema", None)
    if schema is None:  # operator.getitem of the list of a split
        return node.args[0] if node.args and isinstance(node.args[0], Node) else None
    if not any(r.alias_info is not None for r in schema.returns):
        return None
    return next(
        (
            given
            for given, argument in zip(node.args, schema.arguments, strict=False)
            if argument.alias_info is not None and isinstance(given, Node)
        ),
        None,
    )


def _is_state(base: Node) -> bool:
    return base.op == "get_attr"


def _seen_elsewhere(write: Node) -> bool:
    """True if something later reads the written memory under a name from before the write."""
    base = _base(write)
    nodes = list(write.graph.nodes)
    later = nodes[nodes.index(write) + 1 :]
    before = {n for n in nodes if _base(n) is base} - _derived(write, later)
    return any(source in before for n in later for source in n.all_input_nodes)


def _derived(write: Node, later: list[Node]) -> set[Node]:
    found = {write}
    for node in later:
        if _aliased(node) in found:
            found.add(node)
    return found
