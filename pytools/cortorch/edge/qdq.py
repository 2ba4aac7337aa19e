"""The ``quantize`` and ``dequantize`` nodes of PT2E in a program of the edge dialect."""

from __future__ import annotations

from typing import Any

import torch
from executorch.exir.dialects._ops import ops as exir_ops
from torch.export import ExportedProgram
from torch.fx import Node

from cortorch.edge import graph
from cortorch.edge.quant_info import QParams
from cortorch.edge.schema_args import bound

_NAMESPACE = "quantized_decomposed"


def is_quantize(node: object) -> bool:
    return _is(node, "quantize")


def is_dequantize(node: object) -> bool:
    return _is(node, "dequantize")


def _is(node: object, kind: str) -> bool:
    if not isinstance(node, Node) or node.op != "call_function":
        return False
    names = (f"{_NAMESPACE}.{kind}_per_{what}.default" for what in ("tensor", "channel"))
    return graph.overload_name(node) in names


def params_of(ep: ExportedProgram, node: Node) -> QParams | None:
    """What a quantize or dequantize node says; None if it computes its scales at run time."""
    a = bound(node)
    axis = a.get("axis")
    scale = a["scale"] if axis is None else _data(ep, a["scales"], torch.float64)
    zero_point = a["zero_point"] if axis is None else _data(ep, a["zero_points"], torch.int64)
    if scale is None or zero_point is None:
        return None
    return QParams(scale, zero_point, axis, a["dtype"], a["quant_min"], a["quant_max"])


def _data(ep: ExportedProgram, node: Node, dtype: torch.dtype) -> torch.Tensor | None:
    data = graph.constant_data(ep, node)
    return None if data is None else data.to(dtype)


def quantize(ep: ExportedProgram, before: Node, source: Node, params: QParams) -> Node:
    """``source`` (float) quantized, in front of ``before``."""
    return _insert(ep, before, source, params, "quantize", params.dtype)


def dequantize(ep: ExportedProgram, before: Node, source: Node, params: QParams) -> Node:
    """``source`` (quantized) as float, in front of ``before``."""
    return _insert(ep, before, source, params, "dequantize", torch.float32)


def _insert(
    ep: ExportedProgram, before: Node, source: Node, params: QParams, kind: str, dtype: torch.dtype
) -> Node:
    scale: Any = params.scale
    zero_point: Any = params.zero_point
    where: tuple[Any, ...] = ()
    if params.axis is not None:
        scale = graph.add_constant(ep, "scales", scale.float())
        zero_point = graph.add_constant(ep, "zero_points", zero_point)
        where = (params.axis,)
    what = "tensor" if params.axis is None else "channel"
    target = getattr(getattr(exir_ops.edge, _NAMESPACE), f"{kind}_per_{what}").default
    args = (source, scale, zero_point, *where, params.quant_min, params.quant_max, params.dtype)
    value = graph.fake_like(source, graph.shape_of(source), dtype)
    return graph.insert(before, target, args, value, source)
