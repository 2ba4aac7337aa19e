"""Geometry shared by the operators that slide a window over NHWC images."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F

UINT16_MAX = 65535


def pads(padding: Sequence[int]) -> tuple[int, int, int, int]:
    """(top, left, bottom, right) of a ``padding`` argument.

    Two numbers are the symmetric ATen form (height, width); four are (top, left, bottom, right), which asymmetric
    padding needs.
    """
    if len(padding) == 2:
        return padding[0], padding[1], padding[0], padding[1]
    if len(padding) == 4:
        return padding[0], padding[1], padding[2], padding[3]
    raise ValueError(f"padding {list(padding)} has {len(padding)} entries; 2 or 4 are allowed")


def window_output(size: int, before: int, after: int, kernel: int, stride: int, dilation: int = 1) -> int:
    """Positions of a window along one axis."""
    return (size + before + after - dilation * (kernel - 1) - 1) // stride + 1


def window_output_hw(
    shape: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int] = (1, 1),
) -> tuple[int, int]:
    """Output height and width for an NHWC input shape."""
    top, left, bottom, right = pads(padding)
    return (
        window_output(shape[1], top, bottom, kernel[0], stride[0], dilation[0]),
        window_output(shape[2], left, right, kernel[1], stride[1], dilation[1]),
    )


def convolve_exact(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    input_offset: int,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> torch.Tensor:
    """Integer accumulators of an NHWC convolution with OHWI weights, as int64 NHWC.

    Computed in float64, which is exact here: |sum| < 2**53.
    """
    top, left, bottom, right = pads(padding)
    x = (input.to(torch.float64) + input_offset).permute(0, 3, 1, 2)
    x = F.pad(x, (left, right, top, bottom))
    w = weight.to(torch.float64).permute(0, 3, 1, 2)
    acc = F.conv2d(x, w, None, tuple(stride), 0, tuple(dilation), groups).to(torch.int64)
    acc = acc.permute(0, 2, 3, 1)
    return acc if bias is None else acc + bias.to(torch.int64)
