"""Moves permutes until they meet their inverses.

Lowering puts a permute before and after every operator that wants NHWC. Here each permute sinks
through the operators that do not care (``OpDef.permuted``), joins with the next one, and disappears
where the two cancel. What is left is the least that the graph's own inputs and outputs ask for.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from cortorch.edge import graph
from cortorch.edge.dialect import operator_of
from cortorch.edge.graph import overload_name, shape_of
from cortorch.edge.passes.simplify_views import is_free

PERMUTE = "aten.permute_copy.default"
VIEW = "aten.view_copy.default"


def run(ep: ExportedProgram) -> None:
    while _step(ep):
        graph.drop_unused_calls(ep)
    for node in graph.calls(ep, PERMUTE):
        if is_free(shape_of(_source(node)), _perm(node)):
            graph.replace(node, graph.view(node, _source(node), shape_of(node)))
    graph.sweep(ep)


def _step(ep: ExportedProgram) -> bool:
    """One change, if there is one to make."""
    seen: dict[tuple[Node, tuple[int, ...]], Node] = {}
    for node in graph.calls(ep, PERMUTE):
        first = seen.setdefault((_source(node), tuple(_perm(node))), node)
        if first is not node:
            graph.replace(node, first)
            return True
        if _join(node) or _hoist(node, seen):
            return True
        for user in list(node.users):
            if _worth(node, user) and (_sink_view(node, user) or _sink(ep, user)):
                return True
    return False


def _perm(node: Node) -> list[int]:
    return [int(d) for d in node.args[1]]


def _source(node: Node) -> Node:
    source = node.args[0]
    assert isinstance(source, Node)
    return source


def _is_permute(node: Any) -> bool:
    return isinstance(node, Node) and node.op == "call_function" and overload_name(node) == PERMUTE


def _join(node: Node) -> bool:
    """permute(permute(x)) is one permute, or x."""
    source = _source(node)
    if _perm(node) == list(range(len(_perm(node)))):
        graph.replace(node, source)
        return True
    if not _is_permute(source):
        return False
    inner = _perm(source)
    graph.replace(node, graph.permute(node, _source(source), [inner[p] for p in _perm(node)]))
    return True


def _hoist(node: Node, seen: dict[tuple[Node, tuple[int, ...]], Node]) -> bool:
    """permute(f(x)), where permute(x) exists and will stay: f works on that one."""
    middle = _source(node)
    op = operator_of(middle.target)
    if (
        op is None
        or op.permuted is None
        or len(middle.users) != 1
        or len(middle.all_input_nodes) != 1
    ):
        return False
    twin = seen.get((middle.all_input_nodes[0], tuple(_perm(node))))
    if twin is None or _will_sink(twin) or _precedes_inverse(node, _order(node)):
        return False
    changed = _permuted_args(middle, tuple(_perm(node)), {middle.all_input_nodes[0]: twin})
    if changed is None:
        return False
    value = graph.fake_like(node, shape_of(node), node.meta["val"].dtype)
    graph.replace(node, graph.insert(node, middle.target, changed, value, middle))
    return True


def _worth(node: Node, user: Node) -> bool:
    """Sinking pays if it leads to an inverse, or if no permute stays behind and none gets wider."""
    if _is_permute(user) or not (_transparent(user) or _keeps_order(user)):
        return False
    return _precedes_inverse(user, _order(node)) or _will_sink(node)


def _will_sink(permute: Node) -> bool:
    """Through all its users, into something that is not wider."""
    return all(_transparent(user) and not _widens(permute, user) for user in permute.users)


def _widens(before: Node, after: Node) -> bool:
    if not _tensor(after):
        return True
    return bool(after.meta["val"].dtype.itemsize > before.meta["val"].dtype.itemsize)


def _tensor(node: Node) -> bool:
    return isinstance(node.meta.get("val"), torch.Tensor)


def _transparent(node: Node) -> bool:
    op = operator_of(node.target) if node.op == "call_function" else None
    return op is not None and op.permuted is not None


def _precedes_inverse(node: Node, order: list[int]) -> bool:
    """A permute of this order, sinking from the users on, would meet its inverse."""
    visited: set[Node] = set()

    def follow(at: Node) -> bool:
        if _is_inverse(at, order):
            return True
        if at in visited or not (_transparent(at) or _keeps_order(at)):
            return False
        visited.add(at)
        return any(follow(user) for user in at.users)

    return any(follow(user) for user in node.users)


def _keeps_order(node: Node) -> bool:
    """A view that adds or drops dimensions of size 1 only."""
    if node.op != "call_function" or overload_name(node) != VIEW:
        return False
    before, after = shape_of(_source(node)), shape_of(node)
    return [d for d in before if d != 1] == [d for d in after if d != 1]


def _order(node: Node) -> list[int]:
    """What a permute does to the dimensions that are larger than 1, which views on the way keep."""
    shape = shape_of(_source(node))
    kept = [d for d in range(len(shape)) if shape[d] != 1]
    return [kept.index(p) for p in _perm(node) if p in kept]


def _is_inverse(node: Node, order: list[int]) -> bool:
    if not _is_permute(node) or len(other := _order(node)) != len(order):
        return False
    return [order[p] for p in other] == list(range(len(order)))


def _sink_view(node: Node, user: Node) -> bool:
    """view(permute(x)) -> permute(view(x)), for views that only add or drop dimensions of size
    1."""
    if not _keeps_order(user):
        return False
    source, after = _source(node), shape_of(user)
    before = shape_of(source)
    kept = [d for d in range(len(before)) if before[d] != 1]
    order = _order(node)
    places = [d for d in range(len(after)) if after[d] != 1]
    shape, new_perm = list(after), list(range(len(after)))
    for j, q in enumerate(order):
        shape[places[q]] = before[kept[q]]
        new_perm[places[j]] = places[q]
    graph.replace(user, graph.permute(user, graph.view(user, source, shape), new_perm))
    return True


def _sink(ep: ExportedProgram, user: Node) -> bool:
    """f(permute(x), permute(y)) -> permute(f(x, y)), if f allows it and all its tensors can
    follow."""
    if not _transparent(user):
        return False
    perm = next(tuple(_perm(n)) for n in user.all_input_nodes if _is_permute(n))
    inverse = [perm.index(d) for d in range(len(perm))]
    sources: dict[Node, Node] = {}
    for node in _activations(user):
        source = _unpermuted(ep, user, node, perm, inverse)
        if source is None:
            return False
        sources[node] = source
    changed = _permuted_args(user, tuple(inverse), sources)
    if changed is None:
        return False
    shape = [shape_of(user)[i] for i in inverse]
    value = graph.fake_like(user, shape, user.meta["val"].dtype)
    new = graph.insert(user, user.target, changed, value, user)
    graph.replace(user, graph.permute(user, new, perm))
    return True


def _activations(node: Node) -> list[Node]:
    """The tensor arguments that are not constants of the operator (tables, weights)."""
    op = operator_of(node.target)
    assert op is not None
    found: list[Node] = []
    for name, argument in zip(op.argument_names, node.args, strict=True):
        if name not in op.constants and name not in op.ignored:
            members = argument if isinstance(argument, (list, tuple)) else [argument]
            found += [m for m in members if isinstance(m, Node)]
    return found


def _unpermuted(
    ep: ExportedProgram, user: Node, node: Node, perm: tuple[int, ...], inverse: list[int]
) -> Node | None:
    """The tensor whose ``perm`` is ``node``, if it is at hand for nothing."""
    if _is_permute(node) and tuple(_perm(node)) == perm:
        return _source(node)
    shape = shape_of(node)
    if len(shape) != len(perm):
        return node if len(shape) == 0 or set(shape) == {1} else None
    data = graph.constant_data(ep, node)
    if data is not None:
        return graph.add_constant(ep, node.name, data.permute(inverse))
    if is_free(shape, inverse):
        return graph.view(user, node, [shape[i] for i in inverse])
    return None


def _permuted_args(
    node: Node, perm: tuple[int, ...], sources: dict[Node, Node]
) -> tuple[Any, ...] | None:
    """Arguments for the node on inputs permuted by ``perm``; None if the operator cannot."""
    op = operator_of(node.target)
    assert op is not None
    assert op.permuted is not None
    values = [_meta(a) for a in node.args]
    try:
        changes = op.permuted(op.bind(values), perm)
    except LookupError:
        return None
    args = torch.fx.node.map_arg(node.args, lambda n: sources.get(n, n))
    return tuple(changes.get(name, a) for name, a in zip(op.argument_names, args, strict=True))


def _meta(argument: Any) -> Any:
    if isinstance(argument, Node):
        return argument.meta["val"]
    if isinstance(argument, (list, tuple)):
        return [_meta(a) for a in argument]
    return argument
