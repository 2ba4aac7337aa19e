"""One-dimensional pools are two-dimensional ones on images of width 1.

Convolutions need no such help: their lowerings take either, and leave parameters as they are.
"""

from __future__ import annotations

from typing import Any

from torch.fx import GraphModule, Node

from cortorch.edge.schema_args import bound
from cortorch.quantization.captured import calls, name_of, on_shape, overload

_TARGETS = {
    "aten.max_pool1d.default": "aten.max_pool2d.default",
    "aten.avg_pool1d.default": "aten.avg_pool2d.default",
    "aten.adaptive_avg_pool1d.default": "aten.adaptive_avg_pool2d.default",
}
_WIDTH = {
    "kernel_size": 1,
    "stride": 1,
    "dilation": 1,
    "output_size": 1,
    "padding": 0,
}


def run(module: GraphModule) -> None:
    for node in calls(module):
        if name_of(node) in _TARGETS:
            _rewrite(node)


def _rewrite(node: Node) -> None:
    values = bound(node)
    source = node.args[0]
    node.target = overload(_TARGETS[name_of(node)])
    node.args = tuple(_two_dimensional(name, value) for name, value in values.items())
    node.kwargs = {}
    batch, channels, length = source.meta["val"].shape
    on_shape(node, source, [batch, channels, length, 1])


def _two_dimensional(name: str, value: Any) -> Any:
    """An empty stride means the kernel size and stays empty."""
    if name not in _WIDTH or not value:
        return value
    length = value if isinstance(value, (list, tuple)) else [value]
    return [*length, _WIDTH[name]]
