"""Takes back what ``fold_quantization`` and ``fuse_activation`` did to one call."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from cortorch.edge import graph
from cortorch.edge.dialect import edge_aten
from cortorch.edge.qdq import dequantize, quantize
from cortorch.edge.quant_info import QUANT, QParams, QuantInfo, quant_of
from cortorch.edge.schema_args import bound
from cortorch.quantization.activation import UNBOUNDED


def restore(ep: ExportedProgram, node: Node) -> None:
    """The call works on floats again, between ``dq`` and ``q``, for a float kernel to execute."""
    info = quant_of(node)
    if info is None or info.output is None:
        return
    del node.meta[QUANT]
    _dequantize_inputs(ep, node, info)
    node.meta["val"] = graph.fake_like(node, graph.shape_of(node), torch.float32)
    users = dict.fromkeys(node.users)
    last = node
    if info.bounds != UNBOUNDED:
        args = (node, *(None if b in UNBOUNDED else b for b in info.bounds))
        last = graph.insert(node.next, edge_aten("clamp.default"), args, node.meta["val"], node)
    stored = quantize(ep, last.next, last, info.output)
    for user in users:
        user.replace_input_with(node, stored)


def _dequantize_inputs(ep: ExportedProgram, node: Node, info: QuantInfo) -> None:
    names = list(bound(node))
    for name, params in info.inputs.items():
        index = names.index(name)
        given: Any = node.args[index]
        if isinstance(params, QParams):
            node.update_arg(index, dequantize(ep, node, given, params))
        else:
            pairs = zip(given, params, strict=True)
            node.update_arg(index, [dequantize(ep, node, g, p) for g, p in pairs])
