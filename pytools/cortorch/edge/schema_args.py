"""Arguments of an ATen call by the names of its schema."""

from __future__ import annotations

from typing import Any

from torch.fx import Node


def bound(node: Node) -> dict[str, Any]:
    """Every argument of a call (of either dialect), defaults filled in; values as they stand in the
    node. Empty for calls of plain Python functions, which have no schema."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return {}
    values: dict[str, Any] = {}
    for i, argument in enumerate(schema.arguments):
        given = i < len(node.args) and not argument.kwarg_only
        values[argument.name] = (
            node.args[i] if given else node.kwargs.get(argument.name, argument.default_value)
        )
    return values


def nodes_in(value: Any) -> list[Node]:
    """The nodes of one argument: itself, the members of a list, or none."""
    if isinstance(value, Node):
        return [value]
    if isinstance(value, (list, tuple)):
        return [n for n in value if isinstance(n, Node)]
    return []
