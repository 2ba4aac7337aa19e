"""The dialect's rules, checked after every pass."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from cortorch.edge import graph
from cortorch.edge.dialect import operator_of
from cortorch.errors import ExportError


def check(ep: ExportedProgram, stage: str) -> None:
    """Well-formed graph; every operator of the dialect has constants where it must, keeps its
    constraints, and its meta says what the operator makes.

    Raises:
        ExportError: names the pass, the node and the rule. Always a defect of a pass, never of the
        user's model.
    """
    ep.graph.lint()
    for node in graph.calls(ep):
        problem = _problem(ep, node)
        if problem is not None:
            raise ExportError(
                f"after pass {stage!r}, node {node.name}: {problem} (please report this)"
            )


def _problem(ep: ExportedProgram, node: Node) -> str | None:
    op = operator_of(node.target)
    if op is None:
        return None
    if node.kwargs or len(node.args) != len(op.argument_names):
        return "arguments must all be given by position"
    for name in op.constants:
        argument = node.args[op.argument_names.index(name)]
        if isinstance(argument, Node) and not graph.is_constant(ep, argument):
            return f"argument {name!r} must be a constant"
    args = op.bind([value_of(ep, a) for a in node.args])
    broken = op.violated(args)
    if broken is not None:
        return f"violates {broken.id}: {broken.text}"
    made = op.fake(op.bind([_meta(value_of(ep, a)) for a in node.args]))
    has = node.meta["val"]
    if made.shape != has.shape or made.dtype != has.dtype:
        shapes = list(has.shape), list(made.shape)
        return f"meta is {has.dtype} {shapes[0]}, the operator makes {made.dtype} {shapes[1]}"
    return None


def value_of(ep: ExportedProgram, argument: Any) -> Any:
    """Data of a constant, meta of another node, anything else as it is."""
    if isinstance(argument, Node):
        data = graph.constant_data(ep, argument)
        return argument.meta["val"] if data is None else data
    if isinstance(argument, (list, tuple)):
        return [value_of(ep, a) for a in argument]
    return argument


def _meta(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return torch.empty(value.shape, dtype=value.dtype, device="meta")
    if isinstance(value, list):
        return [_meta(v) for v in value]
    return value
