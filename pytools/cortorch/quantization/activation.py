"""Activations that a producer can apply for free, as bounds on its own output.

Quantization is monotonic, so ``quantize(clamp(x, low, high))`` equals ``quantize(x)`` clamped to
the quantized bounds: fusing is exact whatever the scale and zero point.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.fx import Node

from cortorch.edge.graph import overload_name
from cortorch.edge.schema_args import bound

Bounds = tuple[float, float]
UNBOUNDED: Bounds = (float("-inf"), float("inf"))

_BOUNDS: dict[str, Callable[[dict[str, Any]], tuple[Any, Any]]] = {
    "aten.relu.default": lambda a: (0.0, None),
    "aten.relu6.default": lambda a: (0.0, 6.0),
    "aten.hardtanh.default": lambda a: (a["min_val"], a["max_val"]),
    "aten.clamp.default": lambda a: (a["min"], a["max"]),
    "aten.clamp_min.default": lambda a: (a["min"], None),
    "aten.clamp_max.default": lambda a: (None, a["max"]),
}


def bounds_of(node: Node) -> Bounds | None:
    """(low, high) of a clamping node; None for any other. Where they cross, ``high`` wins, as in
    ``torch.clamp``."""
    rule = _BOUNDS.get(overload_name(node)) if node.op == "call_function" else None
    if rule is None:
        return None
    given = rule(bound(node))
    if not all(g is None or isinstance(g, (int, float)) for g in given):
        return None
    low, high = (d if g is None else float(g) for g, d in zip(given, UNBOUNDED, strict=True))
    return min(low, high), high


def fused_activation(node: Node) -> Node | None:
    """The clamping node behind ``node`` if nothing else looks at its unclamped output."""
    users = list(node.users)
    return users[0] if len(users) == 1 and bounds_of(users[0]) is not None else None
