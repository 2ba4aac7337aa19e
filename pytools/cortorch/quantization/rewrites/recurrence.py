"""Recurrent layers and cells become ``cortorch.recurrent_layer``, whatever their number is.

Initial states of zeros are none at all, which saves the operator to store them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from torch import Tensor
from torch.fx import GraphModule, Node

from cortorch.edge.schema_args import bound, nodes_in
from cortorch.quantization.captured import calls, constant_data, name_of
from cortorch.quantization.decompositions import recurrence
from cortorch.quantization.functions import KINDS
from cortorch.quantization.rewrites.decompose import inline

_LAYERS = {f"aten.{name}.input": kind for name, kind in KINDS.items()}
_CELLS = {f"aten.{name}_cell.default": kind for name, kind in KINDS.items()}


def run(module: GraphModule) -> None:
    for node in calls(module):
        for table, function in ((_LAYERS, _layers), (_CELLS, _cell)):
            if name_of(node) in table:
                zeros = [_is_zero(module, n) for n in nodes_in(bound(node)["hx"])]
                inline(node, partial(function, table[name_of(node)], zeros))


def _is_zero(module: GraphModule, node: Node) -> bool:
    data = constant_data(module, node)
    return data is not None and not bool(data.any())


def _layers(kind: int, zeros: list[bool], **a: Any) -> Any:
    if a["train"] and a["dropout"]:
        return NotImplemented
    begin = _begin(a["hx"], zeros, lambda state, number: state.select(0, number))
    shape = (a["num_layers"], a["bidirectional"], a["batch_first"])
    return recurrence.layers(kind, a["input"], begin, a["params"], *shape)


def _cell(kind: int, zeros: list[bool], **a: Any) -> Any:
    begin = _begin(a["hx"], zeros, lambda state, _: state)(0)
    weights = [a[name] for name in ("w_ih", "w_hh", "b_ih", "b_hh")]
    ends = recurrence.cell(kind, a["input"], begin, weights)
    return ends if kind == KINDS["lstm"] else ends[0]


def _begin(
    hx: Any, zeros: list[bool], one: Callable[[Tensor, int], Tensor]
) -> Callable[[int], recurrence.State]:
    """Initial states by number, None where they are zero."""
    given = hx if isinstance(hx, (list, tuple)) else [hx]

    def states(number: int) -> recurrence.State:
        found = [None if z else one(s, number) for s, z in zip(given, zeros, strict=True)]
        return (*found, None)[0], (*found, None)[1]

    return states
