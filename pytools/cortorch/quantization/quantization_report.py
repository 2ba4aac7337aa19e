"""What the quantizer did with every node, and why."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.fx import Node

from cortorch.edge.graph import overload_name
from cortorch.quantization.selection import module_path

FLOAT_REASON = "cortorch_float"
"""Key in ``node.meta["custom"]``, which survives export: why the node stays in float."""


@dataclass
class NodeReport:
    node: str
    target: str
    module: str
    source: str
    config: str | None = None
    """How it is quantized; None for a node in float."""
    reason: str | None = None
    """Why it stays in float."""
    fused_into: str | None = None
    """The producer that applies this activation as its bounds."""
    scale: float | None = None
    zero_point: int | None = None
    """Of the output, once it has been calibrated."""

    @property
    def quantized(self) -> bool:
        return self.reason is None


@dataclass
class QuantizationReport:
    """One entry per call of the captured graph, in its order."""

    nodes: list[NodeReport] = field(default_factory=list)
    _observers: dict[str, Any] = field(default_factory=dict, repr=False)

    def add(self, node: Node, **facts: Any) -> None:
        entry = NodeReport(
            node.name, overload_name(node), module_path(node), source_of(node), **facts
        )
        self.nodes.append(entry)
        if entry.reason is not None:
            node.meta["custom"] = (node.meta.get("custom") or {}) | {FLOAT_REASON: entry.reason}

    def observe(self, node: Node, observer: Any) -> None:
        """``observer`` knows the scale and zero point of the output of ``node``."""
        self._observers[node.name] = observer

    def refresh(self) -> QuantizationReport:
        """Takes scales and zero points from the observers: after calibration."""
        for entry in self.nodes:
            if entry.node in self._observers:
                scale, zero_point = self._observers[entry.node].calculate_qparams()
                entry.scale, entry.zero_point = float(scale), int(zero_point)
        return self

    def in_float(self) -> list[NodeReport]:
        return [n for n in self.nodes if not n.quantized]

    def as_dict(self) -> dict[str, Any]:
        return {
            "quantized": sum(n.quantized for n in self.nodes),
            "float": len(self.in_float()),
            "nodes": [asdict(n) for n in self.nodes],
        }

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), indent=2)

    def __str__(self) -> str:
        rows = [("node", "operator", "source", "quantization"), *map(_row, self.nodes)]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = ["  ".join([*map(str.ljust, row[:3], widths), row[3]]) for row in rows]
        counts = f"{len(self.nodes) - len(self.in_float())} of {len(self.nodes)} calls quantized"
        return "\n".join([*lines, counts])


def _row(entry: NodeReport) -> tuple[str, str, str, str]:
    if entry.reason is not None:
        text = f"float: {entry.reason}"
    elif entry.fused_into is not None:
        text = f"fused into {entry.fused_into}"
    else:
        text = entry.config or ""
    return entry.node, entry.target, entry.source, text


_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')
_TORCH = str(Path(torch.__file__).parent)


def source_of(node: Node) -> str:
    """``model.py:12``: the user's line behind a call; empty where the trace has none."""
    frames = list(_FRAME.finditer(node.meta.get("stack_trace") or ""))
    for frame in reversed(frames):
        if not frame["file"].startswith(_TORCH):
            return f"{Path(frame['file']).name}:{frame['line']}"
    return ""


def describe(node: Node) -> str:
    """The node with its module and source line, for messages."""
    module = module_path(node)
    details = [d for d in (f"module {module}" if module else "", source_of(node)) if d]
    return f"{node.name} ({overload_name(node)}{''.join(f', {d}' for d in details)})"
