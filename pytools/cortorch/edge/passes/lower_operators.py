"""Quantized ATen nodes become operators of the dialect, as the operators' own ``Lowering`` tables
say."""

from __future__ import annotations

from functools import cache

from torch.export import ExportedProgram
from torch.fx import Node

from cmsis_nn_ops import operators
from cmsis_nn_ops.op_def import Lowering
from cortorch.edge import graph
from cortorch.edge.graph import overload_name
from cortorch.edge.lowering import Declined, LoweringContext, Rejected
from cortorch.edge.quant_info import quant_of

REASON = "ct_reason"
"""Key of the text that says why a node was left in ATen."""


def run(ep: ExportedProgram) -> None:
    _lower(ep, late=False)


def run_late(ep: ExportedProgram) -> None:
    _lower(ep, late=True)


@cache
def _table(late: bool) -> dict[str, list[Lowering]]:
    table: dict[str, list[Lowering]] = {}
    for op in operators().values():
        for lowering in op.lowerings:
            if lowering.late == late:
                for target in lowering.targets:
                    table.setdefault(target, []).append(lowering)
    for candidates in table.values():
        candidates.sort(key=lambda c: -c.priority)
    return table


def _lower(ep: ExportedProgram, late: bool) -> None:
    for node in graph.calls(ep):
        for lowering in _table(late).get(overload_name(node), []):
            if lowering.needs_quantization and quant_of(node) is None:
                node.meta.setdefault(REASON, "its inputs or its output are not quantized")
                continue
            if _rewrite(ep, node, lowering):
                break
    graph.sweep(ep)


def _rewrite(ep: ExportedProgram, node: Node, lowering: Lowering) -> bool:
    """Whether the node is dealt with."""
    try:
        new = lowering.rewrite(LoweringContext(ep, node))
    except Declined:
        return False
    except Rejected as rejected:
        node.meta[REASON] = str(rejected)
        return True
    graph.replace(node, new)
    return True
