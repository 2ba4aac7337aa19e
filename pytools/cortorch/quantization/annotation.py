"""From a captured graph to the steps that work on int8, and a reason for every other call."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch.fx import GraphModule, Node

from cmsis_nn_ops.op_def import FixedQParams, Pattern
from cortorch.edge.layout_ops import is_layout
from cortorch.edge.schema_args import bound, nodes_in
from cortorch.quantization.activation import fused_activation
from cortorch.quantization.annotation_step import Step
from cortorch.quantization.captured import Rewrite, calls, name_of, tensor_of
from cortorch.quantization.patterns import accepting, patterns_for
from cortorch.quantization.quantization_report import QuantizationReport
from cortorch.quantization.rewrites import (
    activations,
    batch_norm,
    constants,
    decompose,
    dropout,
    in_place,
    masks,
    one_dimension,
    products,
    recurrence,
    scalars,
    splits,
    windows,
)
from cortorch.quantization.selection import Selection

REWRITES: tuple[Rewrite, ...] = (
    in_place.run,
    dropout.run,
    windows.run,
    splits.run,
    constants.run,
    products.run,
    recurrence.run,
    decompose.run,
    constants.run,
    masks.run,
    splits.run,
    one_dimension.run,
    batch_norm.run,
    scalars.run,
    activations.run,
)
TRAINABLE: tuple[Rewrite, ...] = (
    in_place.run,
    windows.run,
    decompose.run,
    masks.run,
    splits.run,
    scalars.run,
    activations.run,
)
"""Those that leave parameters and batch norms alone, for quantization-aware training."""


def transform_for_annotation(module: GraphModule, qat: bool = False) -> GraphModule:
    """Rewrites a captured graph so that more of it can be quantized; its function stays."""
    for rewrite in TRAINABLE if qat else REWRITES:
        rewrite(module)
    module.graph.eliminate_dead_code()
    module.recompile()
    return module


class Annotator:
    """Decides about every call of a graph."""

    def __init__(self, module: GraphModule, selection: Selection) -> None:
        self.module = module
        self.selection = selection
        self.steps: dict[Node, Step] = {}
        self.reasons: dict[Node, str] = {}
        self.fused: dict[Node, Node] = {}
        self._modified = in_place.modified(module)

    def run(self) -> list[Step]:
        """The steps in graph order."""
        layouts = []
        for node in calls(self.module):
            if node in self.fused or tensor_of(node) is None:
                continue
            reason = self._objection(node) or _integers(node)
            if reason is not None:
                self.reasons[node] = reason
            elif is_layout(node):
                layouts.append(node)
            else:
                self._decide(node)
        self._decide_layouts(layouts)
        return [self.steps[n] for n in self.module.graph.nodes if n in self.steps]

    def report(self) -> QuantizationReport:
        report = QuantizationReport()
        for node in calls(self.module):
            if node in self.steps:
                report.add(node, config=str(self.steps[node].config))
            elif node in self.fused:
                report.add(node, fused_into=self.fused[node].name)
            elif node in self.reasons:
                report.add(node, reason=self.reasons[node])
        return report

    def _objection(self, node: Node) -> str | None:
        """Why this call must stay in float, whatever operator it is."""
        choice, rule = self.selection.choice(node)
        if choice is None:
            return f"left in float by {rule}"
        if node in self._modified or self._modified.intersection(node.all_input_nodes):
            return "it shares memory with a tensor that is modified in place"
        return None

    def _decide(self, node: Node) -> None:
        pattern, reason = accepting(self.module, node)
        if pattern is None:
            self.reasons[node] = reason
            return
        a = bound(node)
        activations = [n for name in pattern.activations for n in nodes_in(a.get(name))]
        weight, bias = (a.get(n) if n is not None else None for n in (pattern.weight, pattern.bias))
        if weight in activations or bias in activations:
            self.reasons[node] = "a parameter is also an input"
            return
        output = self._fuse(node, pattern) if pattern.output != "unquantized" else None
        fixed = pattern.output if isinstance(pattern.output, FixedQParams) else None
        config, _ = self.selection.choice(node)
        assert config is not None
        self.steps[node] = Step(
            node,
            output,
            config,
            tuple(dict.fromkeys(activations)),
            shares=pattern.output == "shared",
            fixed=fixed,
            weight=weight,
            channel_axis=pattern.weight_channel_axis,
            bias=bias,
        )

    def _fuse(self, node: Node, pattern: Pattern) -> Node:
        """The last node of those that become one with this one.

        That may be an activation, which becomes bounds of the output, and, in training, a batch
        norm before it, which torchao folds at the end.
        """
        last = node
        for following in (self._training_norm, fused_activation):
            fused = following(last)
            if fused is not None and pattern.fuses_activation and not self._objection(fused):
                self.fused[fused] = node
                last = fused
        return last

    def _training_norm(self, node: Node) -> Node | None:
        users = list(node.users)
        is_norm = len(users) == 1 and name_of(users[0]) == "aten.batch_norm.default"
        return users[0] if is_norm and self.selection.is_qat() else None

    def _decide_layouts(self, layouts: list[Node]) -> None:
        """Rearrangements follow their neighbours: float ones between float calls only."""
        for group in _connected(layouts):
            neighbours = [self._is_int8(edge) for node in group for edge in _edges(node, group)]
            # None is neutral: inputs, constants and outputs can be either.
            if True not in neighbours and False in neighbours:
                self.reasons.update(dict.fromkeys(group, "it only connects calls in float"))
                continue
            for node in group:
                self._decide_layout(node)

    def _decide_layout(self, node: Node) -> None:
        if patterns_for(str(node.target)):
            self._decide(node)
            return
        config, _ = self.selection.choice(node)
        source = node.args[0]
        assert config is not None
        assert isinstance(source, Node)
        self.steps[node] = Step(node, node, config, (source,), shares=True)

    def _is_int8(self, edge: tuple[Node, Node]) -> bool | None:
        """Whether the far end of an edge between a layout call and another node is quantized."""
        producer, consumer = edge
        if producer.op == "call_function" and not is_layout(producer):
            return any(s.output is producer for s in self.steps.values())
        if consumer.op == "call_function" and not is_layout(consumer):
            step = self.steps.get(consumer)
            return step is not None and producer in step.activations
        return False if producer.op == consumer.op == "call_function" else None


def _integers(node: Node) -> str | None:
    """Objection to an output that is no real number, unless the operator makes such ones."""
    value = tensor_of(node)
    known = any(p.output == "unquantized" for _, p in patterns_for(name_of(node)))
    if value is None or value.dtype == torch.float32 or known:
        return None
    return f"its output is {str(value.dtype)[6:]}, not float32"


def _connected(nodes: list[Node]) -> Iterator[set[Node]]:
    """Groups of nodes that feed each other."""
    left = set(nodes)
    for start in nodes:
        if start not in left:
            continue
        group, queue = set(), [start]
        while queue:
            node = queue.pop()
            if node in left:
                left.remove(node)
                group.add(node)
                queue += [*node.all_input_nodes, *node.users]
        yield group


def _edges(node: Node, group: set[Node]) -> Iterator[tuple[Node, Node]]:
    """Edges that connect a node to the outside of its group."""
    yield from ((s, node) for s in node.all_input_nodes[:1] if s not in group)
    yield from ((node, u) for u in node.users if u not in group)
