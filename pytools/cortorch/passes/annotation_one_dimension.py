"""One-dimensional convolutions and pools are two-dimensional ones on images of height 1."""

from __future__ import annotations

from typing import Any

from torch.fx import GraphModule, Node

from cortorch.captured import add_constant, calls, constant_data, name_of, on_shape, overload
from cortorch.schema_args import bound

_TARGETS = {
    "aten.conv1d.default": "aten.conv2d.default",
    "aten.conv_transpose1d.default": "aten.conv_transpose2d.input",
    "aten.max_pool1d.default": "aten.max_pool2d.default",
    "aten.avg_pool1d.default": "aten.avg_pool2d.default",
    "aten.adaptive_avg_pool1d.default": "aten.adaptive_avg_pool2d.default",
}
_HEIGHT = {
    "kernel_size": 1,
    "stride": 1,
    "dilation": 1,
    "output_size": 1,
    "padding": 0,
    "output_padding": 0,
}


def run(module: GraphModule) -> None:
    for node in calls(module):
        if name_of(node) in _TARGETS:
            _rewrite(module, node)


def _rewrite(module: GraphModule, node: Node) -> None:
    values = bound(node)
    source = node.args[0]
    if values.get("weight") is not None:
        data = constant_data(module, values["weight"])
        if data is None:
            return
        values["weight"] = add_constant(module, f"{node.name}_weight", data.unsqueeze(2), node)
    node.target = overload(_TARGETS[name_of(node)])
    node.args = tuple(_two_dimensional(name, value) for name, value in values.items())
    node.kwargs = {}
    batch, channels, length = source.meta["val"].shape
    on_shape(node, source, [batch, channels, 1, length])


def _two_dimensional(name: str, value: Any) -> Any:
    """An empty stride means the kernel size and stays empty."""
    if name not in _HEIGHT or not value:
        return value
    length = value if isinstance(value, (list, tuple)) else [value]
    return [_HEIGHT[name], *length]
