"""``CortexMQuantizer``: annotates a captured graph for PT2E, driven by the operators' patterns.

Rules of its own it has for layout only (``layout_ops``): everything else an operator declares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e import DerivedObserverOrFakeQuantize
from torchao.quantization.pt2e.quantizer import (
    QuantizationAnnotation,
    QuantizationSpecBase,
    Quantizer,
    SharedQuantizationSpec,
)
from torchao.quantization.pt2e.quantizer.quantizer import Q_ANNOTATION_KEY

from cortorch.errors import QuantizationError
from cortorch.quantization import observers
from cortorch.quantization.annotation import Annotator, transform_for_annotation
from cortorch.quantization.annotation_step import Step
from cortorch.quantization.finite import check_finite, require_finite
from cortorch.quantization.quantization_config import INT8_PER_CHANNEL, QuantizationConfig, fixed
from cortorch.quantization.quantization_report import QuantizationReport, describe
from cortorch.quantization.selection import Choice, Selection, operator_name, type_name
from cortorch.quantization.sharing import Clusters, Point, cluster

__all__ = ["CortexMQuantizer", "QuantizationConfig", "check_finite"]


class CortexMQuantizer(Quantizer):
    """int8 quantization for the operators of the ``cortex_m::`` dialect.

    ``CortexMQuantizer()`` quantizes everything that it can. The setters take a configuration, or
    None to leave something in float; of several that apply the most specific one counts (see
    ``Selection``). ``report`` says what came of it, node by node.

    Args:
        config: for everything that no setter names.
        per_tensor_config: upstream's name for a configuration of the activations; weights then have
            a scale per channel.
        use_explicit_layout: kept for upstream's signature. Layout is always explicit.

    Raises:
        QuantizationError: ``per_tensor_config`` is another backend's; from ``prepare_pt2e``, if a
            weight is NaN or infinite.
    """

    def __init__(
        self,
        config: Choice = INT8_PER_CHANNEL,
        *,
        per_tensor_config: QuantizationConfig | None = None,
        use_explicit_layout: bool = True,
    ) -> None:
        if per_tensor_config is not None:
            config = replace(_own(per_tensor_config), per_channel=True)
        self.use_explicit_layout = use_explicit_layout
        self.selection = Selection(default=config)
        self.report = QuantizationReport()
        self._clusters = Clusters()

    def set_global(self, config: Choice) -> CortexMQuantizer:
        self.selection.default = config
        return self

    def set_module_name(self, name: str, config: Choice) -> CortexMQuantizer:
        """For the module ``name`` (as in ``named_modules()``) and all inside it."""
        self.selection.modules[name] = config
        return self

    def set_module_type(self, kind: type[torch.nn.Module], config: Choice) -> CortexMQuantizer:
        """For calls made inside modules of exactly this class."""
        self.selection.types[type_name(kind)] = config
        return self

    def set_operator_type(self, operator: Any, config: Choice) -> CortexMQuantizer:
        """For an ATen operator: an overload, an overload packet, or a name (``aten.add``)."""
        self.selection.operators[operator_name(operator)] = config
        return self

    def set_io(self, config: Choice) -> CortexMQuantizer:
        """For the ranges of the model's inputs and outputs. None leaves the calls next to them in
        float."""
        self.selection.io, self.selection.io_is_set = config, True
        return self

    def transform_for_annotation(self, model: GraphModule) -> GraphModule:
        return transform_for_annotation(model, qat=self.selection.is_qat())

    def annotate(self, model: GraphModule) -> GraphModule:
        annotator = Annotator(model, self.selection)
        steps = annotator.run()
        self.report = annotator.report()
        for step in steps:
            require_finite(model, step)
        self._clusters = cluster(steps, joins_are_final=self.selection.is_qat())
        _write(steps, self._specs(steps))
        return model

    def validate(self, model: GraphModule) -> None:
        """Nothing is left to check: ``annotate`` writes only what it has found to be sound."""

    def prepare_obs_or_fq_callback(
        self, model: GraphModule, edge_or_node_to_obs_or_fq: dict[Any, Any]
    ) -> None:
        """Gives every observer its place for messages, and what it needs to know of others."""
        of = edge_or_node_to_obs_or_fq
        for point, observer in list(of.items()):
            if isinstance(observer, DerivedObserverOrFakeQuantize):
                of[point] = observers.Bias(observer)
            elif isinstance(observer, observers.Checked) and not observer.where:
                observer.where = _place(point)
            if isinstance(point, Node):
                self.report.observe(point, of[point])
        joins = observers.Joins()
        for a, b in self._clusters.wishes:
            if all(isinstance(of.get(p), observers.Checked) for p in (a, b)):
                joins.add(of[a], of[b])

    def _specs(self, steps: list[Step]) -> dict[Point, QuantizationSpecBase]:
        """One spec a point: the first point of each cluster has its own, the others refer to it."""
        owner = {point: step for step in steps for point in _points(step)}
        boundary = {self._clusters.find(p) for p in owner if _is_boundary(p)}
        specs: dict[Point, QuantizationSpecBase] = {}
        for point, leader in self._clusters.leaders(owner):
            root, config = self._clusters.find(point), owner[point].config
            if leader != point:
                specs[point] = SharedQuantizationSpec(leader)
            elif (prescribed := self._clusters.fixed(root)) is not None:
                specs[point] = fixed(prescribed)
            else:
                specs[point] = self._config(config, root in boundary).activation
        return specs | _parameter_specs(steps)

    def _config(self, config: QuantizationConfig, is_boundary: bool) -> QuantizationConfig:
        chosen = self.selection.io if is_boundary and self.selection.io_is_set else config
        return chosen or config


def _own(config: Any) -> QuantizationConfig:
    if not isinstance(config, QuantizationConfig):
        raise QuantizationError(
            f"per_tensor_config is {config!r}, not a QuantizationConfig of cortorch. Activations "
            "are int8 here; int16 has no kernels."
        )
    return config


def _points(step: Step) -> Iterator[Point]:
    """In the order in which torchao makes observers."""
    yield from ((a, step.node) for a in step.activations)
    if step.output is not None:
        yield step.output


def _parameter_specs(steps: list[Step]) -> dict[Point, QuantizationSpecBase]:
    """Weights and biases. Layers that use one weight in one way share its int8 form."""
    specs: dict[Point, QuantizationSpecBase] = {}
    first: dict[tuple[Node, Any], Point] = {}
    for step in steps:
        if step.weight is None:
            continue
        edge, spec = (step.weight, step.node), step.config.weight(step.channel_axis)
        leader = first.setdefault((step.weight, (spec.ch_axis, step.config.qat)), edge)
        specs[edge] = spec if leader == edge else SharedQuantizationSpec(leader)
        if step.bias is not None:
            specs[step.bias, step.node] = step.config.bias(
                (step.activations[0], step.node), edge, per_channel=spec.ch_axis is not None
            )
    return specs


def _write(steps: list[Step], specs: dict[Point, QuantizationSpecBase]) -> None:
    for step in steps:
        inputs = [*step.activations, *(p for p in (step.weight, step.bias) if p is not None)]
        # torchao's implicit sharing would only undo what the clusters say.
        annotations = {step.node: QuantizationAnnotation(allow_implicit_sharing=False)}
        annotations[step.node].input_qspec_map = {i: specs[i, step.node] for i in inputs}
        if step.output is not None:
            output = annotations.setdefault(
                step.output, QuantizationAnnotation(allow_implicit_sharing=False)
            )
            output.output_qspec = specs[step.output]
        for node, annotation in annotations.items():
            annotation._annotated = True
            node.meta[Q_ANNOTATION_KEY] = annotation


def _is_boundary(point: Point) -> bool:
    if isinstance(point, Node):
        return any(user.op == "output" for user in point.users)
    return point[0].op == "placeholder"


def _place(point: Point) -> str:
    if isinstance(point, Node):
        return f"output of {describe(point)}"
    return f"{point[0].name}, input of {describe(point[1])}"
