"""A batch norm that no layer took in becomes a depthwise 1x1 convolution.

``prepare_pt2e`` folds those that directly follow a convolution or linear layer before we see the
graph. It does so even if something else reads that layer's output, or shares its weights, which
then come out wrong: call ``isolate`` on the captured module before ``prepare_pt2e``.
"""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from cortorch.edge.schema_args import bound
from cortorch.quantization.captured import (
    add_constant,
    calls,
    constant_data,
    infer,
    name_of,
    on_shape,
)


def run(module: GraphModule) -> None:
    for node in calls(module):
        if name_of(node) == "aten.batch_norm.default":
            _to_convolution(module, node)


def isolate(module: GraphModule) -> None:
    """Rewrites the batch norms that must not be folded into the layer before them."""
    for node in calls(module):
        if name_of(node) == "aten.batch_norm.default" and not _may_fold(node):
            _to_convolution(module, node)


def _may_fold(norm: Node) -> bool:
    """True if the layer in front, and every other one with its weights (a module that is called
    again), serves a batch norm with these very parameters and nothing else."""
    layer, *parameters = norm.args
    if not isinstance(layer, Node) or layer.op != "call_function":
        return True
    constants = [n for n in layer.all_input_nodes if n.op == "get_attr"]
    layers = [layer, *(user for c in constants for user in c.users)]
    return all(
        len(each.users) == 1 and name_of(user) == name_of(norm) and [*user.args[1:]] == parameters
        for each in layers
        for user in each.users
    )


def _to_convolution(module: GraphModule, node: Node) -> None:
    a = bound(node)
    source = a["input"]
    mean, variance = (_data(module, a[key]) for key in ("running_mean", "running_var"))
    if a["training"] or mean is None or variance is None:
        return
    factor = (variance.double() + a["eps"]).rsqrt()
    if a["weight"] is not None:
        factor = factor * _required(module, a["weight"])
    offset = -mean.double() * factor
    if a["bias"] is not None:
        offset = offset + _required(module, a["bias"])
    channels = len(mean)
    weight = add_constant(
        module, f"{node.name}_weight", factor.float().reshape(channels, 1, 1, 1), node
    )
    bias = add_constant(module, f"{node.name}_bias", offset.float(), node)
    node.target = torch.ops.aten.conv2d.default
    node.args = (source, weight, bias, [1, 1], [0, 0], [1, 1], channels)
    node.kwargs = {}
    batch, _, *spatial = source.meta["val"].shape
    if len(spatial) == 2:
        infer(node)
    else:
        rows = spatial[0] if len(spatial) > 1 else 1
        on_shape(node, source, [batch, channels, rows, -1 if spatial else 1])


def _data(module: GraphModule, node: Node | None) -> torch.Tensor | None:
    return None if node is None else constant_data(module, node)


def _required(module: GraphModule, node: Node) -> torch.Tensor:
    data = constant_data(module, node)
    assert data is not None
    return data.double()
