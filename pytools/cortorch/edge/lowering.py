"""What an operator's ``Lowering.rewrite`` sees of the node that it replaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import torch
from executorch.exir import memory
from torch.export import ExportedProgram
from torch.fx import Node

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops import operators
from cmsis_nn_ops.op_def import Args
from cortorch.edge import graph, names
from cortorch.edge.dialect import edge_aten, edge_overload
from cortorch.edge.quant_info import QParams, QuantInfo, quant_of
from cortorch.errors import ExportError

ABSORBED_PADDING = "absorbed_padding"
"""Key of a node's (before, after) of each spatial dimension, which ``absorb_padding`` took
from a pad."""

NHWC = (0, 2, 3, 1)
NCHW = (0, 3, 1, 2)


class Rejected(Exception):
    """The node stays in float; the text is the reason in the report."""


class Declined(Exception):
    """Another operator's lowering may take the node."""


@dataclass(frozen=True)
class ChannelQuantization:
    """Integer weights and requantization of a layer with per-channel scales."""

    weight: torch.Tensor
    """int8, ATen layout, output channels first."""
    bias: torch.Tensor | None
    """int32 [channels]."""
    multiplier: torch.Tensor
    shift: torch.Tensor


class LoweringContext:
    def __init__(self, ep: ExportedProgram, node: Node) -> None:
        self.ep = ep
        self.node = node
        self.info = quant_of(node) or QuantInfo()
        self.args = _bind(node)
        self._inputs = dict(self.info.inputs)
        if "self" in self._inputs:
            self._inputs.setdefault("input", self._inputs["self"])

    def reject(self, reason: str) -> NoReturn:
        raise Rejected(reason)

    def decline(self) -> NoReturn:
        raise Declined

    # Quantization

    def quant(self, name: str) -> QParams:
        """Parameters of a tensor argument."""
        found = self._inputs.get(name)
        if not isinstance(found, QParams):
            self.reject(f"argument {name!r} is not quantized")
        return found

    def quants(self, name: str) -> list[QParams]:
        """Parameters of the members of a tensor list."""
        found = self._inputs.get(name)
        if not isinstance(found, list):
            self.reject(f"the tensors of {name!r} are not quantized")
        return found

    @property
    def out(self) -> QParams:
        if self.info.output is None:
            self.reject("its output is not quantized")
        return self.info.output

    @property
    def activation_min(self) -> int:
        return self.out.quantize(self.info.bounds[0])

    @property
    def activation_max(self) -> int:
        return self.out.quantize(self.info.bounds[1])

    def channel_quantization(
        self,
        weight_name: str = "weight",
        bias_name: str = "bias",
        weight: torch.Tensor | None = None,
    ) -> ChannelQuantization:
        """Weights, bias and requantization per output channel.

        ``weight``: the stored weight with the output channels first, if the argument has them
        elsewhere. Scales repeat if there are fewer than channels.

        A channel whose bias is so large against its weights that it would not fit int32 (a dead
        channel: folded weights of 1e-30) gets a coarser accumulator scale, and weights rescaled to
            it.
        """
        if weight is None:
            weight = self.constant_data(getattr(self.args, weight_name))
        if weight is None:
            self.reject(f"{weight_name} is computed at run time")
        scale = torch.as_tensor(self.quant(weight_name).scale, dtype=torch.float64).reshape(-1)
        scale = scale.repeat(weight.shape[0] // len(scale))
        accumulator = float(self.quant("input").scale) * scale
        bias, floor = self._bias(getattr(self.args, bias_name), bias_name, accumulator)
        coarse = torch.maximum(accumulator, floor)
        ratio = (accumulator / coarse).reshape(-1, *[1] * (weight.dim() - 1))
        weight = (weight.double() * ratio).round().to(torch.int8)
        bias_int = None if bias is None else (bias / coarse).round().to(torch.int64)
        self._check_accumulator(weight, bias_int, coarse)
        pairs = [self._multiplier(float(c) / float(self.out.scale)) for c in coarse]
        multiplier, shift = (
            torch.tensor(column, dtype=torch.int32) for column in zip(*pairs, strict=True)
        )
        return ChannelQuantization(
            weight, None if bias_int is None else bias_int.to(torch.int32), multiplier, shift
        )

    def _bias(
        self, node: Any, name: str, accumulator: torch.Tensor
    ) -> tuple[torch.Tensor | None, torch.Tensor]:
        """Real bias, and the least accumulator scale that keeps it in 30 bits."""
        if node is None:
            return None, torch.zeros_like(accumulator)
        stored = self.constant_data(node)
        if stored is None:
            self.reject(f"{name} is computed at run time")
        bias = stored.double()
        params = self.info.inputs.get(name)
        if isinstance(params, QParams):
            bias = bias * torch.as_tensor(params.scale, dtype=torch.float64)
        return bias, bias.abs() / 2.0**30

    def _check_accumulator(
        self, weight: torch.Tensor, bias: torch.Tensor | None, accumulator: torch.Tensor
    ) -> None:
        """No input can overflow the int32 accumulator, nor the left shift of a requantization
        factor above 1."""
        worst = 255 * weight.to(torch.int64).abs().flatten(1).sum(1)
        worst = worst if bias is None else worst + bias.abs()
        left = (accumulator / float(self.out.scale)).clamp(min=1).log2().floor() + 1
        left = torch.where(accumulator < float(self.out.scale), torch.zeros_like(left), left)
        wide = worst.double() * 2.0**left >= 2.0**31
        if bool(wide.any()):
            channel = int(wide.nonzero()[0, 0])
            raise ExportError(
                f"{self.describe()}: output channel {channel} can overflow its 32-bit accumulator "
                "(weights of scale "
                f"{float(accumulator[channel]):.3g}, output of scale "
                f"{float(self.out.scale):.3g}). Calibrate with data "
                "that covers the layer's range, or leave this layer in float."
            )

    def _multiplier(self, real: float) -> tuple[int, int]:
        try:
            return fp.quantize_multiplier(real)
        except ValueError as error:
            raise ExportError(f"{self.describe()}: {error}") from error

    # Reading and building the graph

    def describe(self) -> str:
        """The node with its source line, for messages."""
        return names.describe(self.node)

    def shape(self, node: Node) -> tuple[int, ...]:
        return graph.shape_of(node)

    def dtype(self, node: Node) -> torch.dtype:
        dtype: torch.dtype = node.meta["val"].dtype
        return dtype

    def source_of(self, node: Node, name: str) -> Node | None:
        """The first argument of ``node``, if that is a call of ``name``."""
        found = node.op == "call_function" and graph.overload_name(node) == name
        source = node.args[0] if found else None
        return source if isinstance(source, Node) else None

    def constant_data(self, node: Node) -> torch.Tensor | None:
        return graph.constant_data(self.ep, node)

    def constant(self, hint: str, data: torch.Tensor | None) -> Node | None:
        """A constant of the program, named after the node; None stays None."""
        return (
            None if data is None else graph.add_constant(self.ep, f"{self.node.name}_{hint}", data)
        )

    def scratch(self, size_bytes: int = 1) -> Node:
        """Memory for a scratch argument of upstream's schemas; ExecuTorch plans it, ``bake``
        ignores it."""
        spec = ((size_bytes,), torch.uint8)
        value = graph.fake_like(self.node, *spec)
        return graph.insert(self.node, memory.alloc, (spec,), value, self.node)

    def call(self, name: str, /, **arguments: Any) -> Node:
        """A call of the dialect's operator ``name``.

        Raises:
            ExportError: the arguments violate one of the operator's constraints.
        """
        op = operators()[name]
        values = {key: self._value(argument) for key, argument in arguments.items()}
        bound = op.bind(values)
        broken = op.violated(bound)
        if broken is not None:
            self.reject(f"{op.name} {broken.id}: {broken.text}")
        made = op.fake(op.bind({k: _to_meta(v) for k, v in values.items()}))
        value = graph.fake_like(self.node, made.shape, made.dtype)
        args = tuple(arguments[key] for key in op.argument_names)
        return graph.insert(self.node, edge_overload(name), args, value, self.node)

    def _value(self, argument: Any) -> Any:
        if isinstance(argument, Node):
            data = self.constant_data(argument)
            return argument.meta["val"] if data is None else data
        if isinstance(argument, (list, tuple)):
            return [self._value(a) for a in argument]
        return argument

    def aten(
        self, name: str, *args: Any, shape: Sequence[int], dtype: torch.dtype = torch.int8
    ) -> Node:
        """An ATen call of the edge dialect, ``permute_copy.default``, for later passes to lower."""
        value = graph.fake_like(self.node, shape, dtype)
        return graph.insert(self.node, edge_aten(name), args, value, self.node)

    def permute(self, node: Node, perm: Sequence[int]) -> Node:
        return graph.permute(self.node, node, perm)

    def to_nhwc(self, node: Node) -> Node:
        return self.permute(node, NHWC)

    def from_nhwc(self, node: Node) -> Node:
        return self.permute(node, NCHW)

    def view(self, node: Node, shape: Sequence[int]) -> Node:
        return graph.view(self.node, node, shape)

    def pads(self, padding: Sequence[int]) -> list[tuple[int, int]]:
        """(before, after) of each spatial dimension: the argument plus a pad that was absorbed."""
        absorbed = self.node.meta.get(ABSORBED_PADDING, [(0, 0)] * len(padding))
        return [
            (p + before, p + after) for p, (before, after) in zip(padding, absorbed, strict=True)
        ]


def _to_meta(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return torch.empty(value.shape, dtype=value.dtype, device="meta")
    if isinstance(value, list):
        return [_to_meta(v) for v in value]
    return value


def _bind(node: Node) -> Args:
    """A node's arguments by the names of its schema, defaults filled in."""
    schema = node.target._schema
    values: dict[str, Any] = {}
    for i, argument in enumerate(schema.arguments):
        if i < len(node.args):
            values[argument.name] = node.args[i]
        else:
            values[argument.name] = node.kwargs.get(argument.name, argument.default_value)
    if "self" in values and "input" not in values:
        values["input"] = values["self"]
    return Args(**values)
