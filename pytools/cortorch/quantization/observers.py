"""Observers of PT2E that fail instead of guessing: on NaN and infinity, and without calibration.

``where`` is set by the quantizer, so that an error names the place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torchao.quantization.pt2e import (
    DerivedObserverOrFakeQuantize,
    HistogramObserver,
    MinMaxObserver,
    PerChannelMinMaxObserver,
)

from cortorch.errors import QuantizationError

Limits = tuple[torch.Tensor, torch.Tensor]

LEAST_ACTIVATION_SCALE = 2.0**-23
LEAST_WEIGHT_SCALE = 2.0**-100
"""Far below any trained weight; times an activation's scale it is still a normal float32."""
GREATEST_BIAS = 2.0**30
"""Stored biases stay below it, which leaves the accumulator one bit for the products."""


class Checked:
    """Remembers the range that the observer settles on, and how ranges are joined."""

    where = ""
    joins: Joins | None = None
    _limits: Limits | None = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not bool(torch.isfinite(x).all()):
            raise QuantizationError(
                f"{self.where}: NaN or infinity during calibration. Check the sample, and whether "
                "the float model overflows on it."
            )
        self._limits = None
        return super().forward(x)  # type: ignore[misc]

    def limits(self) -> Limits:
        """Least and greatest value that int8 must stand for, from what was observed."""
        if self._limits is None:
            if bool((self.min_val > self.max_val).any()) or self.min_val.numel() == 0:
                raise QuantizationError(
                    f"{self.where}: no sample reached this place. Run the prepared model on "
                    "representative inputs before converting it."
                )
            self._limits = self._search()
        return self._limits

    def _search(self) -> Limits:
        return self.min_val, self.max_val

    def calculate_qparams(self) -> tuple[torch.Tensor, torch.Tensor]:
        low, high = self.limits() if self.joins is None else self.joins.limits(self)
        return self._calculate_qparams(low, high)

    def scale_of(self, low: torch.Tensor, high: torch.Tensor) -> float:
        return float(self._calculate_qparams(low, high)[0])

    # From torchao's observers, which every subclass derives from as well.
    min_val: torch.Tensor
    max_val: torch.Tensor
    _calculate_qparams: Any


class MinMax(Checked, MinMaxObserver):
    """The whole range that was seen."""


class PerChannelWeights(Checked, PerChannelMinMaxObserver):
    """The whole range of each output channel."""


class Histogram(Checked, HistogramObserver):
    """torchao's search for the range of least L2 error; upstream's default."""

    def _search(self) -> Limits:
        return self._non_linear_param_search()


class Percentile(Checked, HistogramObserver):
    """Leaves out the outermost values: (100 - percentile) / 2 percent at either end."""

    def __init__(self, percentile: float = 99.99, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.tail = (1.0 - percentile / 100.0) / 2.0

    def _search(self) -> Limits:
        share = self.histogram.double().cumsum(0) / self.histogram.double().sum()
        width = (self.max_val - self.min_val) / self.bins
        first = int((share <= self.tail).sum())
        last = int((share < 1.0 - self.tail).sum())
        return self.min_val + width * first, self.min_val + width * (min(last, self.bins - 1) + 1)


class MeanSquaredError(Checked, HistogramObserver):
    """Scales the range down as long as clipping costs less than finer steps gain."""

    def _search(self) -> Limits:
        factors = torch.linspace(0.2, 1.0, 81).tolist()
        candidates = [(self.min_val * f, self.max_val * f) for f in factors]
        return min(candidates, key=lambda c: self._error(*c))

    def _error(self, low: torch.Tensor, high: torch.Tensor) -> float:
        width = (self.max_val - self.min_val) / self.bins
        centers = self.min_val + width * (torch.arange(self.bins) + 0.5)
        scale, zero_point = self._calculate_qparams(low, high)
        stored = (centers / scale).round().add(zero_point).clamp(self.quant_min, self.quant_max)
        return float((((stored - zero_point) * scale - centers) ** 2 * self.histogram).sum())


OBSERVERS: dict[str, type] = {
    "histogram": Histogram,
    "min_max": MinMax,
    "percentile": Percentile,
    "mse": MeanSquaredError,
}


class Joins:
    """Tensors that would like to share one range, so that none has to be requantized.

    A pair is joined unless that makes the steps of one of the tensors more than twice as coarse:
    one bit. The decision falls when the ranges are known, after calibration.
    """

    def __init__(self) -> None:
        self.pairs: list[tuple[Checked, Checked]] = []

    def add(self, a: Checked, b: Checked) -> None:
        self.pairs.append((a, b))
        a.joins = b.joins = self

    def limits(self, observer: Checked) -> Limits:
        group = next(g for g in self._groups() if any(o is observer for o in g))
        return _hull(group)

    def _groups(self) -> list[list[Checked]]:
        groups = [[o] for o in {id(o): o for o in self._members()}.values()]
        for pair in self.pairs:
            a, b = (next(g for g in groups if any(o is x for o in g)) for x in pair)
            if a is not b and _compatible(a + b):
                groups.remove(b)
                a.extend(b)
        return groups

    def _members(self) -> Iterator[Checked]:
        for pair in self.pairs:
            yield from pair


def _hull(group: list[Checked]) -> Limits:
    ranges = [o.limits() for o in group]
    return torch.stack([r[0] for r in ranges]).amin(0), torch.stack([r[1] for r in ranges]).amax(0)


def _compatible(group: list[Checked]) -> bool:
    hull = _hull(group)
    return all(o.scale_of(*hull) <= 2 * o.scale_of(*o.limits()) for o in group)


class Bias(DerivedObserverOrFakeQuantize):
    """int32 bias in units of input scale times weight scale, made coarser where it would overflow.

    That happens for dead channels: trained networks have weights of 1e-30 next to sizeable biases.
    """

    def __init__(self, derived: DerivedObserverOrFakeQuantize) -> None:
        super().__init__(
            dtype=derived.dtype,
            obs_or_fqs=derived.obs_or_fqs,
            derive_qparams_fn=derived.derive_qparams_fn,
            quant_min=derived.quant_min,
            quant_max=derived.quant_max,
            qscheme=derived.qscheme,
            ch_axis=derived.ch_axis,
        )
        self.bias = torch.zeros(0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.bias = x.detach()
        return x

    def calculate_qparams(self) -> tuple[torch.Tensor, torch.Tensor]:
        accumulator, _ = super().calculate_qparams()
        largest = self.bias.abs().double() if accumulator.numel() > 1 else self.bias.abs().max()
        # A grouped transposed layer has one weight scale for several output channels.
        scale = accumulator.double().repeat(max(1, largest.numel() // accumulator.numel()))
        scale = torch.maximum(scale, largest / GREATEST_BIAS).float()
        return scale, torch.zeros_like(scale, dtype=torch.int64)


def accumulator_scale(observers: list[Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """Scale of input times scale of weight, for ``DerivedQuantizationSpec``."""
    (activation, _), (weight, _) = (o.calculate_qparams() for o in observers)
    scale = activation.float() * weight.float()
    return scale, torch.zeros_like(scale, dtype=torch.int64)
