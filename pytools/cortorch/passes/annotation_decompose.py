"""Calls that ``decompositions`` knows become simpler ones, which the quantizer sees one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx

from cortorch.captured import ORIGIN, calls, name_of, tensor_of
from cortorch.decompositions import TABLE
from cortorch.schema_args import bound


def run(module: GraphModule) -> None:
    for node in calls(module):
        function = TABLE.get(name_of(node))
        if function is not None and (tensor_of(node) is not None or _firsts(node)):
            _inline(node, function)


def _firsts(node: Node) -> list[Node]:
    """What takes the first of several outputs, if nothing takes another one."""
    for user in [u for u in node.users if not u.users]:
        node.graph.erase_node(user)
    users = list(node.users)
    only = all(name_of(user) == "getitem" and user.args[1] == 0 for user in users)
    return users if only else []


def _inline(node: Node, function: Callable[..., Any]) -> None:
    """Replaces the call by what ``function`` does with its arguments."""
    arguments = bound(node)
    sources = node.all_input_nodes
    declined = False

    def body(*tensors: torch.Tensor) -> Any:
        nonlocal declined
        given = dict(zip(sources, tensors, strict=True))
        result = function(**torch.fx.map_arg(arguments, given.__getitem__))
        declined = result is NotImplemented
        return None if declined else result

    fakes = [n.meta["val"] for n in sources]
    with torch.no_grad(), fakes[0].fake_mode:
        traced = make_fx(body, tracing_mode="real", pre_dispatch=True)(*fakes)
    if not declined:
        placeholders = traced.graph.find_nodes(op="placeholder")
        _insert(node, traced, dict(zip(placeholders, sources, strict=True)))


def _insert(node: Node, traced: GraphModule, known: dict[Node, Node]) -> None:
    for inner in traced.graph.nodes:
        if inner.op == "call_function":
            with node.graph.inserting_before(node):
                known[inner] = node.graph.node_copy(inner, known.__getitem__)
            known[inner].meta = {k: node.meta[k] for k in ORIGIN if k in node.meta}
            known[inner].meta["val"] = inner.meta["val"]
    result = traced.graph.output_node().args[0]
    assert isinstance(result, Node)
    for replaced in [node] if tensor_of(node) is not None else _firsts(node):
        replaced.replace_all_uses_with(known[result])
        if replaced is not node:
            node.graph.erase_node(replaced)
    node.graph.erase_node(node)
