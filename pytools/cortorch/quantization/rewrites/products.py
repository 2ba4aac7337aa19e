"""Products with a constant matrix become linear layers, whose weights are int8 per channel; linear
layers with computed weights become products."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from cortorch.edge.schema_args import bound
from cortorch.quantization.captured import add_constant, calls, constant_data, name_of
from cortorch.quantization.decompositions.products import linear
from cortorch.quantization.rewrites.decompose import inline

# Names of (input, matrix, bias).
_PRODUCTS: dict[str, tuple[str, str, str | None]] = {
    "aten.mm.default": ("self", "mat2", None),
    "aten.matmul.default": ("self", "other", None),
    "aten.addmm.default": ("mat1", "mat2", "self"),
}


def run(module: GraphModule) -> None:
    for node in calls(module):
        names = _PRODUCTS.get(name_of(node))
        if names is not None:
            _to_linear(module, node, *names)
        elif name_of(node) == "aten.linear.default" and node.args[1].op != "get_attr":
            inline(node, linear)


def _to_linear(module: GraphModule, node: Node, x: str, matrix: str, bias: str | None) -> None:
    a = bound(node)
    weight = constant_data(module, a[matrix])
    if weight is None or weight.dim() != 2 or constant_data(module, a[x]) is not None:
        return
    data = None
    if bias is not None:
        data = constant_data(module, a[bias])
        if data is None or not _is_row(data, weight.shape[1]) or (a["alpha"], a["beta"]) != (1, 1):
            return
    arguments = [a[x], add_constant(module, f"{node.name}_weight", weight.t().contiguous(), node)]
    if data is not None:
        arguments.append(add_constant(module, f"{node.name}_bias", data.flatten(), node))
    node.target = torch.ops.aten.linear.default
    node.args = tuple(arguments)
    node.kwargs = {}


def _is_row(data: torch.Tensor, size: int) -> bool:
    return data.dim() > 0 and data.numel() == data.shape[-1] == size
