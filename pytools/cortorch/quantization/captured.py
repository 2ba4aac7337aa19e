"""Editing a captured graph: the module that ``export(...).module()`` gives, before quantization."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.fx import GraphModule, Node

from cortorch.edge.graph import overload_name
from cortorch.quantization.activation import fused_activation
from cortorch.quantization.aliasing import is_written

Rewrite = Callable[[GraphModule], None]
"""A rewrite edits the graph in place and keeps its function."""

ORIGIN = ("nn_module_stack", "stack_trace", "source_fn_stack", "torch_fn", "custom")
"""Keys of a node's meta that say from which call of the user it comes."""


def calls(module: GraphModule) -> Iterator[Node]:
    """The call nodes, as a list that edits may change."""
    yield from [n for n in module.graph.nodes if n.op == "call_function"]


def insert(before: Node, target: Any, args: tuple[Any, ...], origin: Node) -> Node:
    """A call in front of ``before`` that counts as part of the user's call ``origin``."""
    with before.graph.inserting_before(before):
        node = before.graph.call_function(target, args)
    node.meta = {k: origin.meta[k] for k in ORIGIN if k in origin.meta}
    infer(node)
    return node


def infer(node: Node) -> None:
    """Sets ``meta["val"]`` from the arguments."""
    args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda n: n.meta["val"])
    modes = (getattr(n.meta["val"], "fake_mode", None) for n in node.all_input_nodes)
    with next(m for m in modes if m is not None):
        node.meta["val"] = node.target(*args, **kwargs)


def add_constant(module: GraphModule, hint: str, data: torch.Tensor, before: Node) -> Node:
    """A buffer and the node that reads it."""
    number = 0
    while hasattr(module, name := f"{hint}_{number}"):
        number += 1
    module.register_buffer(name, data.detach().clone())
    with module.graph.inserting_before(before):
        node = module.graph.get_attr(name)
    modes = (getattr(n.meta.get("val"), "fake_mode", None) for n in module.graph.nodes)
    mode = next(m for m in modes if m is not None)
    node.meta["val"] = mode.from_tensor(data, static_shapes=True)
    return node


def constant_data(module: GraphModule, node: Node) -> torch.Tensor | None:
    """Data of a parameter or buffer that nothing writes to; None for anything else."""
    if node.op != "get_attr" or is_written(node):
        return None
    data: Any = module
    for atom in str(node.target).split("."):
        data = getattr(data, atom)
    return data.detach() if isinstance(data, torch.Tensor) else None


def overload(name: str) -> Any:
    """The function of ``aten.pad.default``."""
    namespace, packet, overload_part = name.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet), overload_part)


def on_shape(node: Node, source: Node, shape: list[int]) -> None:
    """Lets a call work on ``source`` viewed as ``shape``; its users still see the old shape.

    The view back stands behind an activation that will be fused, so as not to separate the two.
    """
    old_shape = list(node.meta["val"].shape)
    viewed = insert(node, torch.ops.aten.reshape.default, (source, shape), node)
    node.args = (viewed, *node.args[1:])
    infer(node)
    last = fused_activation(node) or node
    if last is not node:
        infer(last)
    back = insert(last.next, torch.ops.aten.reshape.default, (last, old_shape), node)
    last.replace_all_uses_with(back, delete_user_cb=lambda user: user is not back)


def tensor_of(node: Node) -> torch.Tensor | None:
    """The fake tensor of a node; None for lists, numbers and nothing."""
    value = node.meta.get("val")
    return value if isinstance(value, torch.Tensor) else None


def name_of(node: Node) -> str:
    """``aten.conv2d.default`` for a call, empty for anything else."""
    return overload_name(node) if node.op == "call_function" else ""
