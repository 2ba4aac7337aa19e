"""Convolutions and pools get a batch dimension and their padding in numbers.

Operators then need not know ``padding="same"`` nor unbatched inputs.
"""

from __future__ import annotations

import re

import torch
from torch.fx import GraphModule, Node

from cortorch.edge.schema_args import bound
from cortorch.quantization.captured import calls, insert, name_of, on_shape, overload

_WINDOW = re.compile(r"aten\.(conv|conv_transpose|(adaptive_)?(max|avg)_pool)(?P<dims>[123])d\.\w+")


def run(module: GraphModule) -> None:
    for node in calls(module):
        window = _WINDOW.fullmatch(name_of(node))
        if window is None or not isinstance(node.meta.get("val"), torch.Tensor):
            continue
        if name_of(node).endswith("d.padding"):
            _spell_out_padding(node)
        source = node.args[0]
        shape = list(source.meta["val"].shape)
        if len(shape) == int(window["dims"]) + 1:
            on_shape(node, source, [1, *shape])


def _spell_out_padding(node: Node) -> None:
    a = bound(node)
    kernel = a["weight"].meta["val"].shape[2:]
    total = [d * (k - 1) for d, k in zip(_each(a["dilation"], len(kernel)), kernel, strict=True)]
    if a["padding"] == "valid":
        total = [0] * len(kernel)
    before = [t // 2 for t in total]
    after = [t - b for t, b in zip(total, before, strict=True)]
    source = a["input"]
    if before != after:
        # As torch.nn.functional.pad counts: the last dimension first.
        pads = [p for pair in zip(before[::-1], after[::-1], strict=True) for p in pair]
        source = insert(node, torch.ops.aten.pad.default, (source, pads), node)
        before = [0] * len(kernel)
    node.target = overload(name_of(node).replace("d.padding", "d.default"))
    node.args = (source, a["weight"], a["bias"], a["stride"], before, a["dilation"], a["groups"])
    node.kwargs = {}


def _each(numbers: list[int], count: int) -> list[int]:
    return list(numbers) * count if len(numbers) == 1 else list(numbers)
