"""How a quantized value stands for a real one: ``real = (stored - zero_point) * scale``.

After ``passes/fold_quantization.py`` a quantized node works on int8 values directly; what its ``q``
and ``dq`` neighbours said is then in ``node.meta[QUANT]`` as a ``QuantInfo``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch

QUANT = "quant"
"""Key of a node's ``QuantInfo`` in ``node.meta``."""


@dataclass(frozen=True)
class QParams:
    """Parameters of a tensor: per tensor (``axis`` is None), or per index of ``axis``."""

    scale: float | torch.Tensor
    """Positive; a float64 tensor of one entry per channel if ``axis`` is given."""
    zero_point: int | torch.Tensor = 0
    axis: int | None = None
    dtype: torch.dtype = torch.int8
    quant_min: int = -128
    quant_max: int = 127

    def same(self, other: QParams) -> bool:
        """Equal parameters: a ``dq`` of one followed by a ``q`` of the other changes nothing."""
        ranges = (self.dtype, self.axis) == (other.dtype, other.axis)
        return ranges and all(
            torch.equal(torch.as_tensor(a), torch.as_tensor(b))
            for a, b in ((self.scale, other.scale), (self.zero_point, other.zero_point))
        )

    def quantize(self, real: float) -> int:
        """Nearest stored value of a real one (ties to even), saturated. Per tensor only."""
        if isinstance(self.scale, torch.Tensor) or isinstance(self.zero_point, torch.Tensor):
            raise ValueError("a single value has no channel: these parameters are per channel")
        if real in (float("inf"), float("-inf")):
            return self.quant_max if real > 0 else self.quant_min
        return min(max(round(real / self.scale) + self.zero_point, self.quant_min), self.quant_max)


@dataclass(frozen=True)
class QuantInfo:
    """Quantization of a node's tensor arguments (by ATen schema name) and of its output."""

    inputs: dict[str, QParams | list[QParams]] = field(default_factory=dict)
    """A list for a ``Tensor[]`` argument. What is not quantized (int32 indices, ...) is absent."""
    output: QParams | None = None
    """None where the output is not a quantized number (comparisons, indices)."""
    bounds: tuple[float, float] = (float("-inf"), float("inf"))
    """A fused activation: the output is clamped to these real numbers."""

    def replace(self, **changes: Any) -> QuantInfo:
        return replace(self, **changes)

    def all_inputs(self) -> Iterator[tuple[str, QParams]]:
        for name, value in self.inputs.items():
            for params in value if isinstance(value, list) else [value]:
                yield name, params


def quant_of(node: torch.fx.Node) -> QuantInfo | None:
    """The quantization of a folded node; None for a node that works on floats or plain integers."""
    info: QuantInfo | None = node.meta.get(QUANT)
    return info
