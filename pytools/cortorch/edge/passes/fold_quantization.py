"""``dq -> call -> q`` becomes the call on int8 values, with a ``QuantInfo`` in its meta.

A clamp between call and ``q`` becomes an int8 clamp of equal parameters (quantization is monotonic,
so that is exact). ``dq`` and ``q`` at inputs, outputs and next to float calls stay as they are.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from cortorch.edge import graph
from cortorch.edge.dialect import edge_aten
from cortorch.edge.layout_ops import is_layout
from cortorch.edge.passes.lower_operators import REASON
from cortorch.edge.qdq import dequantize, is_dequantize, is_quantize, params_of, quantize
from cortorch.edge.quant_info import QUANT, QParams, QuantInfo
from cortorch.edge.schema_args import bound
from cortorch.quantization.activation import fused_activation
from cortorch.quantization.patterns import operators_for
from cortorch.quantization.quantization_report import FLOAT_REASON


class _NotInt8(Exception):
    """Some input or the output of a call is float."""


def run(ep: ExportedProgram) -> None:
    _merge_equal(ep)
    for node in graph.calls(ep):
        _sink(ep, node)
    for node in reversed(list(graph.calls(ep))):
        _hoist(ep, node)
    for node in graph.calls(ep):
        _fold(ep, node)
    for node in graph.calls(ep):
        _requantize(ep, node)
    graph.sweep(ep)


def _merge_equal(ep: ExportedProgram) -> None:
    """One ``q`` for all that quantize one value in one way."""
    seen: dict[Any, Node] = {}
    for node in graph.calls(ep):
        if is_quantize(node):
            first = seen.setdefault((node.target, *node.args), node)
            if first is not node:
                graph.replace(node, first)


def _sink(ep: ExportedProgram, node: Node) -> None:
    """``dq -> layout`` becomes ``layout -> dq``: rearranged int8 values mean the same."""
    source = node.args[0] if node.args else None
    if not is_layout(node) or not is_dequantize(source):
        return
    assert isinstance(source, Node)
    params = params_of(ep, source)
    if params is None or params.axis is not None:
        return
    moved = _int8_layout(node, source.args[0], params)
    graph.replace(node, dequantize(ep, node, moved, params))


def _hoist(ep: ExportedProgram, node: Node) -> None:
    """``layout -> q`` becomes ``q -> layout``."""
    users = list(node.users)
    if not is_layout(node) or not users or not all(is_quantize(u) for u in users):
        return
    params = params_of(ep, users[0])
    if params is None or params.axis is not None or len(users) > 1:
        return
    source = quantize(ep, node, node.args[0], params)
    graph.replace(users[0], _int8_layout(node, source, params))


def _int8_layout(node: Node, source: Any, params: QParams) -> Node:
    args = (source, *node.args[1:])
    value = graph.fake_like(node, graph.shape_of(node), params.dtype)
    moved = graph.insert(node, node.target, args, value, node)
    moved.kwargs = node.kwargs
    moved.meta[QUANT] = QuantInfo({next(iter(bound(node))): params}, params)
    return moved


def _fold(ep: ExportedProgram, node: Node) -> None:
    reason = (node.meta.get("custom") or {}).get(FLOAT_REASON)
    if reason is not None:
        node.meta[REASON] = reason
        return
    if is_quantize(node) or is_dequantize(node) or not operators_for(graph.overload_name(node)):
        return
    try:
        inputs = _inputs(ep, node)
        last, output = _output(ep, node)
    except _NotInt8:
        return
    node.args, node.kwargs = torch.fx.map_arg((node.args, node.kwargs), _stored)
    node.meta[QUANT] = QuantInfo(inputs, output)
    if output is None:
        return
    if last is not node:
        last.meta[QUANT] = QuantInfo({"self": output}, output)
    for changed in {node, last}:
        changed.meta["val"] = graph.fake_like(changed, graph.shape_of(changed), output.dtype)
    for user in list(last.users):
        graph.replace(user, last)


def _stored(node: Node) -> Any:
    return node.args[0] if is_dequantize(node) else node


def _inputs(ep: ExportedProgram, node: Node) -> dict[str, QParams | list[QParams]]:
    """Parameters of the quantized arguments; at least one."""
    found: dict[str, QParams | list[QParams]] = {}
    for name, given in bound(node).items():
        if isinstance(given, Node):
            params = _input(ep, node, name, given)
            if params is not None:
                found[name] = params
        elif isinstance(given, (list, tuple)) and any(isinstance(n, Node) for n in given):
            members = [_input(ep, node, name, n) for n in given if isinstance(n, Node)]
            if all(m is None for m in members):
                continue
            if any(m is None for m in members):
                raise _NotInt8
            found[name] = [m for m in members if m is not None]
    if not found:
        raise _NotInt8
    return found


def _input(ep: ExportedProgram, node: Node, name: str, source: Node) -> QParams | None:
    """Parameters of one argument; None for what operators take unquantized: integers, single
    numbers, parameters that lowerings take in float, and biases that training left so."""
    if is_dequantize(source):
        params = params_of(ep, source)
        if params is None:
            raise _NotInt8
        return params
    value = source.meta["val"]
    if not value.dtype.is_floating_point:
        return None
    if graph.is_constant(ep, source) and (value.numel() == 1 or name in _float_names(node)):
        return None
    raise _NotInt8


def _float_names(node: Node) -> set[str | None]:
    found = operators_for(graph.overload_name(node))
    return {name for op in found for p in op.patterns for name in (p.bias, *p.parameters)}


def _output(ep: ExportedProgram, node: Node) -> tuple[Node, QParams | None]:
    """The node whose output is quantized (the call, or a clamp behind it) and how; None for indices
    and truth values."""
    value = node.meta["val"]
    if isinstance(value, torch.Tensor) and not value.dtype.is_floating_point:
        return node, None
    last = fused_activation(node) or node
    if not last.users or not all(is_quantize(u) for u in last.users):
        raise _NotInt8
    params = [params_of(ep, user) for user in last.users]
    if params[0] is None or not all(p is not None and p.same(params[0]) for p in params):
        raise _NotInt8
    return last, params[0]


def _requantize(ep: ExportedProgram, node: Node) -> None:
    """``dq -> q`` goes if both say the same, else it becomes a copy that changes parameters."""
    source = node.args[0] if node.args else None
    if not is_quantize(node) or not is_dequantize(source):
        return
    assert isinstance(source, Node)
    before, after = params_of(ep, source), params_of(ep, node)
    if before is None or after is None or before.axis is not None or after.axis is not None:
        return
    stored: Any = source.args[0]
    if not before.same(after):
        target = edge_aten("clone.default")
        stored = graph.insert(node, target, (stored,), node.meta["val"], node)
        stored.meta[QUANT] = QuantInfo({"self": before}, after)
    graph.replace(node, stored)
