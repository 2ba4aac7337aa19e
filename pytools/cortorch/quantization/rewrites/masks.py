"""Scores of minus infinity, as attention masks write them, become a mask of the softmax behind.

No int8 tensor holds them. Numbers below ``LOWEST`` are meant as such, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule, Node

from cortorch.edge.layout_ops import is_layout
from cortorch.edge.schema_args import bound
from cortorch.quantization.captured import (
    add_constant,
    calls,
    constant_data,
    insert,
    name_of,
    overload,
    tensor_of,
)
from cortorch.quantization.functions import softmax_with_mask

LOWEST = -1e4
_SOFTMAX = ("aten.softmax.int", "aten._softmax.default")
_ZEROS = ("aten.zeros.default", "aten.zeros_like.default")


def run(module: GraphModule) -> None:
    for node in calls(module):
        if name_of(node) in _SOFTMAX and _is_last(node):
            _rewrite(module, node)


def _is_last(softmax: Node) -> bool:
    value = tensor_of(softmax)
    return value is not None and bound(softmax)["dim"] in (-1, value.dim() - 1)


def _rewrite(module: GraphModule, node: Node) -> None:
    found = _Splitter(module, node).split(node.args[0])
    if found.mask is not None and found.scores is not None:
        node.replace_all_uses_with(
            insert(node, softmax_with_mask, (found.scores, found.mask, -1), node)
        )
        node.graph.erase_node(node)


@dataclass(frozen=True)
class _Scores:
    scores: Node | None
    """Finite; None is 0 everywhere."""
    mask: Node | None = None
    """True where the scores are minus infinity; None is nowhere."""


class _Splitter:
    """Makes new nodes in front of ``before``."""

    def __init__(self, module: GraphModule, before: Node) -> None:
        self.module = module
        self.before = before

    def split(self, node: Any) -> _Scores:
        """Finite scores and mask of a value; the value itself and None where there is no mask."""
        name = name_of(node)
        data = constant_data(self.module, node)
        if data is not None:
            return self._constant(node, data)
        if name in _ZEROS:
            return _Scores(None)
        a = bound(node) if node.op == "call_function" else {}
        if name == "aten.masked_fill.Scalar" and a["value"] <= LOWEST:
            return self._join(self.split(a["self"]), _Scores(None, a["mask"]))
        if name == "aten.masked_fill.Tensor" and self._is_lowest(a["value"]):
            return self._join(self.split(a["self"]), _Scores(None, a["mask"]))
        if name == "aten.where.self" and self._is_lowest(a["self"]):
            return self._join(self.split(a["other"]), _Scores(None, a["condition"]))
        if name == "aten.where.self" and self._is_lowest(a["other"]):
            mask = self._call("aten.logical_not.default", a["condition"])
            return self._join(self.split(a["self"]), _Scores(None, mask))
        if is_layout(node):
            return self._rearranged(node)
        if name == "aten.add.Tensor" and a["alpha"] == 1 and isinstance(a["other"], Node):
            parts = self.split(a["self"]), self.split(a["other"])
            if any(p.mask is not None for p in parts):
                return self._join(*parts)
        return _Scores(node)

    def _constant(self, node: Node, data: torch.Tensor) -> _Scores:
        low = data <= LOWEST
        if not bool(low.any()):
            return _Scores(node if bool(data.any()) else None)
        mask = add_constant(self.module, "mask", low, self.before)
        finite = data.masked_fill(low, 0.0)
        if not bool(finite.any()):
            return _Scores(None, mask)
        return _Scores(add_constant(self.module, "scores", finite, self.before), mask)

    def _is_lowest(self, node: Any) -> bool:
        data = constant_data(self.module, node) if isinstance(node, Node) else None
        return data is not None and bool((data <= LOWEST).all())

    def _rearranged(self, node: Node) -> _Scores:
        inner = self.split(node.args[0])
        if inner.mask is None:
            return _Scores(None if inner.scores is None else node)
        mask = insert(self.before, node.target, (inner.mask, *node.args[1:]), node)
        if inner.scores is None:
            return _Scores(None, mask)
        scores = insert(self.before, node.target, (inner.scores, *node.args[1:]), node)
        return _Scores(scores, mask)

    def _join(self, a: _Scores, b: _Scores) -> _Scores:
        return _Scores(
            self._both("aten.add.Tensor", a.scores, b.scores),
            self._both("aten.logical_or.default", a.mask, b.mask),
        )

    def _both(self, name: str, a: Node | None, b: Node | None) -> Node | None:
        return (a or b) if a is None or b is None else self._call(name, a, b)

    def _call(self, name: str, *args: Node) -> Node:
        return insert(self.before, overload(name), args, self.before)
