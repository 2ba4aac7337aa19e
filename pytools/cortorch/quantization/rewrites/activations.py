"""A clamp behind views and permutes moves to the producer that can apply it as bounds."""

from __future__ import annotations

from torch.fx import GraphModule, Node

from cortorch.edge.layout_ops import is_layout
from cortorch.quantization.activation import bounds_of
from cortorch.quantization.captured import calls, infer, name_of
from cortorch.quantization.patterns import patterns_for


def run(module: GraphModule) -> None:
    for node in calls(module):
        if bounds_of(node) is not None:
            producer = _producer(node)
            if producer is not None:
                _move(node, producer)


def _producer(clamp: Node) -> Node | None:
    """What fuses activations, if only rearrangements for this very clamp are in between."""
    source = clamp.args[0]
    if not isinstance(source, Node) or not is_layout(source):
        return None
    while isinstance(source, Node) and is_layout(source) and len(source.users) == 1:
        source = source.args[0]
    if not isinstance(source, Node) or len(source.users) != 1:
        return None
    fuses = any(pattern.fuses_activation for _, pattern in patterns_for(name_of(source)))
    return source if fuses else None


def _move(clamp: Node, producer: Node) -> None:
    (first,) = producer.users
    with producer.graph.inserting_before(first):
        moved = producer.graph.node_copy(clamp, lambda n: producer if n is clamp.args[0] else n)
    infer(moved)
    first.replace_input_with(producer, moved)
    clamp.replace_all_uses_with(clamp.args[0])
    clamp.graph.erase_node(clamp)
