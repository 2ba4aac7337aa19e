"""Geometry shared by the operators that slide a window over NHWC images."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F

UINT16_MAX = 65535


def pads(padding: Sequence[int]) -> tuple[int, int, int, int]:
    """(top, left, bottom, right) of a ``padding`` argument.

    Two numbers are the symmetric ATen form (height, width); four are (top, left, bottom, right),
    which asymmetric padding needs.
    """
    if len(padding) == 2:
        return padding[0], padding[1], padding[0], padding[1]
    if len(padding) == 4:
        return padding[0], padding[1], padding[2], padding[3]
    raise ValueError(f"padding {list(padding)} has {len(padding)} entries; 2 or 4 are allowed")


def pair(values: Sequence[int]) -> tuple[int, int]:
    """(height, width) of an ATen size argument, which may be one number for both."""
    return (values[0], values[0]) if len(values) == 1 else (values[0], values[1])


def is_image(t: torch.Tensor) -> bool:
    """int8 of rank 4, no size 0 or beyond 16 bits, indexable by int32."""
    sized = t.dim() == 4 and min(t.shape) > 0 and max(t.shape) <= UINT16_MAX
    return sized and t.dtype == torch.int8 and t.numel() < 2**31


def is_window(
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int] = (1, 1),
) -> bool:
    """Two positive numbers each, padding two or four non-negative ones, all of 16 bits."""
    sizes = (*kernel, *stride, *dilation)
    lengths = len(kernel) == len(stride) == len(dilation) == 2 and len(padding) in (2, 4)
    return lengths and min(sizes) > 0 and min(padding) >= 0 and max(*sizes, *padding) <= UINT16_MAX


def effective_dilation(kernel: Sequence[int], dilation: Sequence[int]) -> tuple[int, int]:
    """Dilation as the kernels get it: 1 where a single tap makes it meaningless, so that an absurd
    number never enters their index arithmetic."""
    height, width = (d if k > 1 else 1 for k, d in zip(kernel, dilation, strict=True))
    return height, width


def window_output(
    size: int,
    before: int,
    after: int,
    kernel: int,
    stride: int,
    dilation: int = 1,
    ceil_mode: bool = False,
) -> int:
    """Positions of a window along one axis.

    With ``ceil_mode`` the last one may reach past the trailing padding, but starts inside the input
    or its leading padding, as in ATen.
    """
    room = size + before + after - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return room // stride + 1
    last = -(-room // stride)
    return last if last * stride >= size + before else last + 1


def window_output_hw(
    shape: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int] = (1, 1),
    ceil_mode: bool = False,
) -> tuple[int, int]:
    """Output height and width for an NHWC input shape."""
    top, left, bottom, right = pads(padding)
    return (
        window_output(shape[1], top, bottom, kernel[0], stride[0], dilation[0], ceil_mode),
        window_output(shape[2], left, right, kernel[1], stride[1], dilation[1], ceil_mode),
    )


def windows_meet_input(
    shape: Sequence[int],
    output_hw: tuple[int, int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
) -> bool:
    """Whether every undilated window has a pixel of the NHWC input."""
    axes = zip(shape[1:3], output_hw, kernel, stride, pads(padding)[:2], strict=True)
    return all(
        n > 0 and before < k and (n - 1) * s - before < size for size, n, k, s, before in axes
    )


def pad_to_windows(
    x: torch.Tensor,
    output_hw: tuple[int, int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int] = (1, 1),
    value: float = 0.0,
) -> torch.Tensor:
    """NCHW image with exactly the border that its windows touch; ``value`` fills it."""
    top, left, _, _ = pads(padding)
    height, width = (
        (n - 1) * s + d * (k - 1) + 1
        for n, s, d, k in zip(output_hw, stride, dilation, kernel, strict=True)
    )
    border = (left, width - left - x.shape[3], top, height - top - x.shape[2])
    return F.pad(x, border, value=value)


def window_sums(
    x: torch.Tensor,
    output_hw: tuple[int, int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
) -> torch.Tensor:
    """Exact int64 sums of an NHWC image over each window; pixels outside count as 0."""
    nchw = x.to(torch.float64).permute(0, 3, 1, 2)
    nchw = pad_to_windows(nchw, output_hw, kernel, stride, padding)
    sums = F.avg_pool2d(nchw, tuple(kernel), tuple(stride), divisor_override=1)
    return sums.round().to(torch.int64).permute(0, 2, 3, 1)


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
