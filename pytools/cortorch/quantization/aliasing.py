"""Who shares memory with whom in a captured graph, and who writes to it."""

from __future__ import annotations

import operator

from torch.fx import Node


def writes_to(user: Node, node: Node) -> bool:
    """True if the call changes the tensor ``node`` in place."""
    schema = getattr(user.target, "_schema", None)
    return schema is not None and any(
        given is node and argument.alias_info is not None and argument.alias_info.is_write
        for given, argument in zip(user.args, schema.arguments, strict=False)
    )


def aliased(node: Node) -> Node | None:
    """The argument whose memory the output shares, all or part; None for new memory."""
    if node.op != "call_function":
        return None
    schema = getattr(node.target, "_schema", None)
    if schema is None:  # operator.getitem, of the list that a split gives
        source = node.args[0] if node.target is operator.getitem else None
        return source if isinstance(source, Node) else None
    if not any(r.alias_info is not None for r in schema.returns):
        return None
    pairs = zip(node.args, schema.arguments, strict=False)
    return next((g for g, a in pairs if a.alias_info is not None and isinstance(g, Node)), None)


def base(node: Node) -> Node:
    """The value that the memory was made for, through any number of views and writes."""
    source = aliased(node)
    while source is not None:
        node, source = source, aliased(source)
    return node


def is_written(node: Node) -> bool:
    """True if something writes to the memory of ``node``, under whatever name."""
    names = [node]
    for name in names:
        if any(writes_to(user, name) for user in name.users):
            return True
        names += [user for user in name.users if aliased(user) is name]
    return False
