"""What people call a node: the module that it comes from, and the line of their source."""

from __future__ import annotations

import re
from collections.abc import Iterable

from torch.fx import Node

from cmsis_nn_ops import OpDef
from cortorch.edge.dialect import operator_of

ORIGIN = "ct_origin"
"""Key of the short name of the captured ATen call that a node stands for."""


def origin_of(node: Node) -> str:
    """``softmax`` for the node itself or for the captured one that it was made from."""
    known = node.meta.get(ORIGIN)
    if known is not None:
        return str(known)
    schema = getattr(node.target, "_schema", None)
    return str(schema.name.split("::")[-1]).lstrip("_") if schema is not None else node.name


def module_path(node: Node) -> str:
    """``features.0``, or nothing for code of the outermost module."""
    stack = node.meta.get("nn_module_stack") or {}
    path, kind = list(stack.values())[-1] if stack else ("", "")
    return "" if "<locals>" in str(kind) else str(path)


def assign(nodes: Iterable[Node]) -> list[str]:
    """A unique name for each operator call, in order: path of the module, or the ATen name."""
    taken: set[str] = set()
    names = []
    for node in nodes:
        op = operator_of(node.target)
        base = module_path(node) or origin_of(node)
        if op is not None and _moves_data(op) and base != op.name:
            base = f"{base}.{op.name}"
        name, number = base, 1
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name)
        names.append(name)
    return names


def _moves_data(op: OpDef) -> bool:
    """Such an operator is put beside the one that a module is about."""
    return any(lowering.late for lowering in op.lowerings)


def source_of(node: Node) -> str:
    """``File "model.py", line 12, in forward`` of the user's own code, else of the library's; or
    nothing."""
    frames = [line.strip() for line in (node.meta.get("stack_trace") or "").splitlines()]
    frames = [frame for frame in frames if frame.startswith("File ")]
    own = [frame for frame in frames if "site-packages" not in frame]
    return (own or frames or [""])[-1]


def portable_source_of(node: Node) -> str:
    """The same without the file's folder, which another PC does not have."""
    return re.sub(r'^File ".*[/\\]', 'File "', source_of(node))


def describe(node: Node) -> str:
    """Name and source of a node, for messages."""
    source = source_of(node)
    name = module_path(node) or node.name
    return f"{name} ({source})" if source else name
