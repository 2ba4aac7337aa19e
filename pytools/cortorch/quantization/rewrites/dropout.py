"""Dropout in evaluation mode is the identity."""

from __future__ import annotations

from torch.fx import GraphModule

from cortorch.edge.schema_args import bound
from cortorch.quantization.captured import calls, name_of

_NAMES = frozenset(
    f"aten.{name}.default"
    for name in ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout")
)


def run(module: GraphModule) -> None:
    for node in calls(module):
        if name_of(node) in _NAMES and not bound(node)["train"]:
            node.replace_all_uses_with(node.args[0])
            module.graph.erase_node(node)
