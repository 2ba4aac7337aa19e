"""Spells one thing one way: permutes, views, pooling without indices, outputs in plain tuples, and
no node that changes nothing."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node
from torch.utils import _pytree as pytree

from cortorch.edge import graph
from cortorch.edge.graph import overload_name, shape_of

_VIEWS = {
    "aten.squeeze_copy.dim",
    "aten.squeeze_copy.dims",
    "aten.squeeze_copy.default",
    "aten.unsqueeze_copy.default",
    "aten._unsafe_view.default",
    "aten.view_copy.default",
}
_IDENTITIES = {
    "aten.alias_copy.default",
    "aten.clone.default",
    "aten.detach_copy.default",
    "aten.lift_fresh_copy.default",
    "dim_order_ops._clone_dim_order.default",
    "dim_order_ops._to_dim_order_copy.default",
    "aten._to_copy.default",
    "aten.expand_copy.default",
    "aten.dropout.default",
}
"""They do nothing when shape and dtype stay: layout is in the graph, never in strides."""


def run(ep: ExportedProgram) -> None:
    for node in graph.calls(ep):
        _rewrite(node)
    _contiguous(ep)
    _plain_outputs(ep)
    graph.sweep(ep)


def _rewrite(node: Node) -> None:
    name = overload_name(node)
    if name == "aten.transpose_copy.int":
        rank = len(shape_of(node))
        perm = list(range(rank))
        a, b = (int(d) % rank for d in node.args[1:3])
        perm[a], perm[b] = perm[b], perm[a]
        graph.replace(node, graph.permute(node, node.args[0], perm))
    elif name == "aten.t_copy.default":
        graph.replace(node, graph.permute(node, node.args[0], range(len(shape_of(node)))[::-1]))
    elif name == "aten.permute_copy.default":
        dims = [int(d) % len(shape_of(node)) for d in node.args[1]]
        node.args = (node.args[0], dims)
    elif name in _VIEWS and name != "aten.view_copy.default":
        graph.replace(node, graph.view(node, node.args[0], shape_of(node)))
    elif name in _IDENTITIES and _keeps(node, node.args[0]):
        graph.replace(node, node.args[0])
    elif node.target is operator.getitem and _is_values(node):
        _drop_indices(node)


def _keeps(node: Node, source: object) -> bool:
    if not isinstance(source, Node):
        return False
    same = shape_of(node) == shape_of(source)
    return same and node.meta["val"].dtype == source.meta["val"].dtype


def _is_values(node: Node) -> bool:
    """Element 0 of a (values, indices) pair whose indices nobody reads."""
    pair = node.args[0]
    return isinstance(pair, Node) and node.args[1] == 0 and all(u.args[1] == 0 for u in pair.users)


def _drop_indices(node: Node) -> None:
    """The pair node itself stands for its values from here on."""
    pair = node.args[0]
    assert isinstance(pair, Node)
    pair.meta["val"] = node.meta["val"]
    graph.replace(node, pair)


def _plain_outputs(ep: ExportedProgram) -> None:
    """``x.max(1)`` as an output is a tuple of two: ExecuTorch knows no ``torch.return_types``."""
    for entry in ep.module_call_graph:
        signature = entry.signature
        if signature is not None and signature.out_spec is not None:
            spec = signature.out_spec
            shape = pytree.tree_unflatten([0] * spec.num_leaves, spec)
            signature.out_spec = pytree.tree_structure(_plain(shape))


def _plain(value: Any) -> Any:
    if type(value).__module__ == "torch.return_types":
        return tuple(_plain(v) for v in value)
    if type(value) in (list, tuple):
        return type(value)(_plain(v) for v in value)
    if type(value) is dict:
        return {key: _plain(v) for key, v in value.items()}
    return value


def _contiguous(ep: ExportedProgram) -> None:
    """Every tensor is contiguous from here on; strides that tracing left in the metas would only
    mislead (and a stride of 0 in a dimension of size 1, as ``array[None]`` makes it, is one that
    ExecuTorch refuses)."""
    for node in ep.graph.nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            plain = graph.fake_like(node, value.shape, value.dtype)
            if value.stride() != plain.stride():
                node.meta["val"] = plain
