"""Constants of ``support/ct_matmul_dsp.h``: weights and requantization of pairs of channels."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from cmsis_nn_ops import fixed_point as fp
from cmsis_nn_ops import requantize_dsp
from cmsis_nn_ops.matmul_mve import fold_offset

STEP = 4
"""Features that are multiplied together."""
ROWS = 3
"""Rows that are multiplied together, where there are so many."""
LANES = (0, 2, 1, 3)
"""Order of a step's features after widening."""


@dataclass(frozen=True)
class Channels:
    """Weights [channels, features] and what requantizes their sums; int64, one entry a channel.

    Channels whose output is the same for every input have no weights left, and factors that fit.
    """

    weight: torch.Tensor
    bias: torch.Tensor
    """With the input's zero point folded in."""
    multiplier: torch.Tensor
    shift: torch.Tensor
    output_offset: int

    def sums(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Least and largest sum, bias included."""
        most, least = self.weight * 127, self.weight * -128
        low, high = torch.minimum(most, least).sum(1), torch.maximum(most, least).sum(1)
        return self.bias + low, self.bias + high

    def fit(self) -> bool:
        """Whether ``ct_requantize_dsp`` can do it."""
        low, high = self.sums()
        largest = torch.maximum(low.abs(), high.abs())
        return requantize_dsp.fits(largest, self.multiplier, self.shift, self.output_offset)


def channels(
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    input_offset: int,
    multiplier: torch.Tensor,
    shift: torch.Tensor,
    output_offset: int,
) -> Channels:
    """Args: int8 weight [channels, features], int32 bias, multiplier and shift of the operator."""
    weight = weight.to(torch.int64)
    folded = weight.sum(dim=1) * input_offset
    if bias is not None:
        folded = folded + bias
    multiplier, shift = multiplier.to(torch.int64), shift.to(torch.int64)
    found = Channels(weight, folded, multiplier, shift, output_offset)
    low, high = (fp.requantize(s, multiplier, shift) + output_offset for s in found.sums())
    # Requantization is monotone, where it does not wrap.
    wraps = (torch.stack(found.sums()).abs() << shift.clamp(min=0)).amax(0) > fp.INT32_MAX
    low, high = low.clamp(-128, 127), high.clamp(-128, 127)
    constant = (low == high) & ~wraps
    return Channels(
        torch.where(constant[:, None], 0, weight),
        torch.where(constant, 4 * (low - output_offset), folded),
        torch.where(constant, 2**30, multiplier),
        torch.where(constant, -1, shift),
        output_offset,
    )


def accepts(c: Channels) -> bool:
    """Whether the kernel can compute these channels."""
    if len(c.weight) < 2 or not c.fit():
        return False
    _, second = _pairs(c.weight)
    mixed = _mixed(c.weight)
    largest = int(second.abs().sum(1).max()) * 128
    return largest < 2**23 and int(mixed.min()) >= -(2**15) and int(mixed.max()) < 2**15


def pack(c: Channels) -> torch.Tensor:
    """int32 [pairs, 2 * steps + 5]."""
    weights = _in_steps(_mixed(c.weight)).to(torch.int16).view(torch.int32)
    (first_shift, second_shift) = _pairs(-c.shift - 1)
    first, second = ((2 * b, m) for b, m in zip(_pairs(c.bias), _pairs(c.multiplier), strict=True))
    rest = torch.stack([*second, first_shift | second_shift << 8, *first], dim=1)
    return torch.cat([weights, rest.to(torch.int32)], dim=1)


PLAIN_OPERANDS = (
    "padded_weight",
    "folded_bias",
    "requantize_multipliers",
    "requantize_shifts",
)
"""Constants of ``support/ct_matmul_plain_dsp.h`` in the order of the kernels' parameters."""


def pack_plain(
    weight: torch.Tensor, bias: torch.Tensor | None, input_offset: int
) -> dict[str, torch.Tensor]:
    """Of an int8 weight [channels, features]; factors stay as they are."""
    padded = F.pad(weight, (0, -weight.shape[1] % STEP)).contiguous()
    return {"padded_weight": padded, "folded_bias": fold_offset(weight, bias, input_offset)}


def wide_bytes(features: int) -> int:
    """``CT_WIDE_BYTES``."""
    return -(-features // STEP) * 2 * STEP


def _pairs(values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """First and second entries of all pairs. The last one of an odd number overlaps."""
    first = torch.arange(0, len(values), 2).clamp(max=len(values) - 2)
    return values[first], values[first + 1]


def _mixed(weight: torch.Tensor) -> torch.Tensor:
    first, second = _pairs(weight)
    return 256 * second + first


def _in_steps(rows: torch.Tensor) -> torch.Tensor:
    """Rows filled up to whole steps, each in the order of its lanes."""
    padded = F.pad(rows, (0, -rows.shape[1] % STEP))
    return padded.unflatten(1, (-1, STEP))[:, :, LANES].flatten(1)
