"""Which operator takes which ATen node: the operators' patterns, looked up and checked."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from cmsis_nn_ops import OpDef, operators
from cmsis_nn_ops.op_def import Args, Pattern
from cortorch.edge.schema_args import bound, nodes_in
from cortorch.quantization.captured import constant_data, name_of, tensor_of


def patterns_for(target: str) -> list[tuple[OpDef, Pattern]]:
    """The patterns for ``aten.conv2d.default``, in the order in which they are tried."""
    return [(op, p) for op in operators().values() for p in op.patterns if target in p.targets]


def operators_for(edge_target: str) -> list[OpDef]:
    """The operators with a lowering of ``aten.convolution.default``."""
    return [
        op
        for op in operators().values()
        if any(edge_target in lowering.targets for lowering in op.lowerings)
    ]


def accepting(module: GraphModule, node: Node) -> tuple[Pattern | None, str]:
    """The first pattern that takes this very node, or None and the reasons of all that do not."""
    reasons: dict[str, None] = {}
    for op, pattern in patterns_for(name_of(node)):
        objection = _objection(module, node, pattern)
        if objection is None:
            return pattern, op.name
        reasons[objection] = None
    return None, "; ".join(reasons) or f"no int8 operator for {name_of(node)}"


def _objection(module: GraphModule, node: Node, pattern: Pattern) -> str | None:
    a = bound(node)
    for name in pattern.activations:
        bad = _bad_activation(name, a.get(name))
        if bad is not None:
            return bad
    for parameter in filter(None, (pattern.weight, pattern.bias, *pattern.parameters)):
        if a[parameter] is not None and constant_data(module, a[parameter]) is None:
            return f"{parameter} is computed at run time"
    reason: str | None = pattern.rejects(_with_data(module, node, a))
    return reason


def _bad_activation(name: str, given: Any) -> str | None:
    if given is None:
        return None
    found = nodes_in(given)
    if not found:
        return f"{name} is a number"
    for node in found:
        value = tensor_of(node)
        if value is None or value.dtype != torch.float32:
            return (
                f"{name} is {'no tensor' if value is None else str(value.dtype)[6:]}, not float32"
            )
    return None


def _with_data(module: GraphModule, node: Node, values: dict[str, Any]) -> Args:
    def look(argument: Any) -> Any:
        if isinstance(argument, Node):
            data = constant_data(module, argument)
            return argument.meta["val"] if data is None else data
        return [look(x) for x in argument] if isinstance(argument, (list, tuple)) else argument

    return Args(**{name: look(v) for name, v in values.items()}, out=node.meta["val"])
