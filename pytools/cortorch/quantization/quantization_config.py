"""What the user chooses about quantization, and the torchao specs that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torchao.quantization.pt2e import (
    FakeQuantize,
    FusedMovingAvgObsFakeQuantize,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
)
from torchao.quantization.pt2e.quantizer import (
    DerivedQuantizationSpec,
    FixedQParamsQuantizationSpec,
    QuantizationSpec,
)

from cmsis_nn_ops.op_def import FixedQParams
from cortorch.errors import QuantizationError
from cortorch.quantization import observers


@dataclass(frozen=True)
class QuantizationConfig:
    """int8 activations, one affine scale a tensor; int8 symmetric weights; int32 biases.

    Raises:
        QuantizationError: ``observer`` is not the name of one.
    """

    observer: str = "histogram"
    """How ranges come from calibration: ``histogram``, ``min_max``, ``percentile`` or ``mse``."""
    per_channel: bool = True
    """One weight scale per output channel, else one per tensor."""
    qat: bool = False
    """Fake quantization for ``prepare_qat_pt2e``; ranges are then moving averages."""

    def __post_init__(self) -> None:
        if self.observer not in observers.OBSERVERS:
            known = ", ".join(observers.OBSERVERS)
            raise QuantizationError(
                f"observer {self.observer!r} is unknown. Choose one of: {known}."
            )

    def __str__(self) -> str:
        weights = "channel" if self.per_channel else "tensor"
        ranges = "qat" if self.qat else self.observer
        return f"int8, weights per {weights}, {ranges}"

    @cached_property
    def activation(self) -> QuantizationSpec:
        return QuantizationSpec(
            dtype=torch.int8,
            observer_or_fake_quant_ctr=self._activation_observer(),
            quant_min=-128,
            quant_max=127,
            qscheme=torch.per_tensor_affine,
        )

    def _activation_observer(self) -> Any:
        eps = observers.LEAST_ACTIVATION_SCALE
        if self.qat:
            return FusedMovingAvgObsFakeQuantize.with_args(
                observer=MovingAverageMinMaxObserver, eps=eps
            )
        make: Any = observers.OBSERVERS[self.observer]
        return make.with_args(eps=eps)

    def weight(self, channel_axis: int | None) -> QuantizationSpec:
        """Symmetric; ``channel_axis`` None means one scale whatever ``per_channel`` says."""
        axis = channel_axis if self.per_channel else None
        scheme = torch.per_tensor_symmetric if axis is None else torch.per_channel_symmetric
        return QuantizationSpec(
            dtype=torch.int8,
            observer_or_fake_quant_ctr=self._weight_observer(axis),
            quant_min=-127,
            quant_max=127,
            qscheme=scheme,
            ch_axis=axis,
        )

    def _weight_observer(self, axis: int | None) -> Any:
        eps = observers.LEAST_WEIGHT_SCALE
        if not self.qat:
            plain = observers.MinMax if axis is None else observers.PerChannelWeights
            return plain.with_args(eps=eps)
        if axis is None:
            return FakeQuantize.with_args(observer=MovingAverageMinMaxObserver, eps=eps)
        # torchao passes ch_axis on to classes with PerChannel in their name only.
        return FakeQuantize.with_args(
            observer=MovingAveragePerChannelMinMaxObserver, eps=eps, ch_axis=axis
        )

    def bias(self, activation: Any, weight: Any, per_channel: bool) -> DerivedQuantizationSpec:
        """int32, in units of the scales of the two edges."""
        scheme = torch.per_channel_symmetric if per_channel else torch.per_tensor_symmetric
        return DerivedQuantizationSpec(
            derived_from=[activation, weight],
            derive_qparams_fn=observers.accumulator_scale,
            dtype=torch.int32,
            quant_min=-(2**31) + 1,
            quant_max=2**31 - 1,
            qscheme=scheme,
            ch_axis=0 if per_channel else None,
        )


def fixed(params: FixedQParams) -> FixedQParamsQuantizationSpec:
    """The parameters that an operator's arithmetic prescribes."""
    return FixedQParamsQuantizationSpec(
        dtype=torch.int8,
        scale=params.scale,
        zero_point=params.zero_point,
        quant_min=-128,
        quant_max=127,
        qscheme=torch.per_tensor_affine,
    )


INT8_PER_CHANNEL = QuantizationConfig()
INT8_PER_TENSOR = QuantizationConfig(per_channel=False)
INT8_QAT = QuantizationConfig(qat=True)
