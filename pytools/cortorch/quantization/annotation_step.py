"""The quantizer's decision about one node."""

from __future__ import annotations

from dataclasses import dataclass

from torch.fx import Node

from cmsis_nn_ops.op_def import FixedQParams
from cortorch.quantization.quantization_config import QuantizationConfig


@dataclass(frozen=True)
class Step:
    """A node that works on int8."""

    node: Node
    output: Node | None
    """Where the output is observed: the node, or the activation that is fused into it. None if it
    holds indices or truth values."""
    config: QuantizationConfig
    activations: tuple[Node, ...]
    """Producers of its quantized inputs, each once."""
    shares: bool = False
    """Inputs and output have the same parameters."""
    fixed: FixedQParams | None = None
    weight: Node | None = None
    channel_axis: int | None = None
    bias: Node | None = None
