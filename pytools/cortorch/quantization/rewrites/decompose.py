"""Calls that ``decompositions`` knows become simpler ones, which the quantizer sees one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx

from cortorch.edge.schema_args import bound
from cortorch.quantization.captured import ORIGIN, calls, name_of, overload, tensor_of
from cortorch.quantization.decompositions import COMPOSITE, TABLE


def run(module: GraphModule) -> None:
    queue = list(calls(module))
    while queue:
        node = queue.pop()
        name = name_of(node)
        if _has_complex(node):
            continue
        if name in COMPOSITE:
            queue += inline(node, overload(name), pre_dispatch=False)
        elif name in TABLE:
            queue += inline(node, TABLE[name])


def _has_complex(node: Node) -> bool:
    """Formulas are of real numbers; nothing of complex ones is in the dialect."""
    tensors = [tensor_of(n) for n in (node, *node.all_input_nodes)]
    return any(t is not None and t.is_complex() for t in tensors)


def _takers(node: Node) -> dict[Node, int]:
    """What stands for an output of the call, with the output's number."""
    if tensor_of(node) is not None:
        return {node: 0}
    for user in [u for u in node.users if not u.users]:
        node.graph.erase_node(user)
    return {user: user.args[1] for user in node.users if name_of(user) == "getitem"}


def inline(node: Node, function: Callable[..., Any], pre_dispatch: bool = True) -> list[Node]:
    """Replaces the call by those that ``function`` makes of its arguments; they are returned.

    ``NotImplemented`` from the function leaves the call as it is. ``pre_dispatch``: calls are kept
    as the function makes them, not as they arrive at kernels.
    """
    arguments = bound(node)
    sources = node.all_input_nodes
    takers = _takers(node)
    wanted = set(takers.values())
    declined = False

    def body(*tensors: torch.Tensor) -> Any:
        nonlocal declined
        given = dict(zip(sources, tensors, strict=True))
        result = function(**torch.fx.map_arg(arguments, given.__getitem__))
        results = list(result) if isinstance(result, tuple) else [result]
        declined = result is NotImplemented or not wanted <= set(range(len(results)))
        if declined:
            return None
        return {n: results[n]() if callable(results[n]) else results[n] for n in wanted}

    fakes = [n.meta["val"] for n in sources]
    with torch.no_grad(), fakes[0].fake_mode:
        traced = make_fx(body, tracing_mode="real", pre_dispatch=pre_dispatch)(*fakes)
    return [] if declined else _insert(node, traced, sources, takers)


def _insert(
    node: Node, traced: GraphModule, sources: list[Node], takers: dict[Node, int]
) -> list[Node]:
    known = dict(zip(traced.graph.find_nodes(op="placeholder"), sources, strict=True))
    made = [n for n in traced.graph.nodes if n.op == "call_function"]
    for inner in made:
        with node.graph.inserting_before(node):
            known[inner] = node.graph.node_copy(inner, known.__getitem__)
        known[inner].meta = {k: node.meta[k] for k in ORIGIN if k in node.meta}
        known[inner].meta["val"] = inner.meta["val"]
    results: Any = traced.graph.output_node().args[0]
    for replaced, number in takers.items():
        replaced.replace_all_uses_with(known[results[number]])
        if replaced is not node:
            node.graph.erase_node(replaced)
    node.graph.erase_node(node)
    return [known[inner] for inner in made]
