"""Convolutions of three dimensions as ones of two: the planes that a window spans become channels.

The sums are the same, and stay in one accumulator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """[N,C,D,H,W], weight [O,C/groups,D,H,W]."""
    (step, *stride), (pad, *padding), (gap, *dilation) = _triples(stride, padding, dilation)
    taps = weight.shape[2]
    depth = (input.shape[2] + 2 * pad - gap * (taps - 1) - 1) // step + 1
    starts = [tap * gap - pad for tap in range(taps)]
    images = _stacked(input, starts, step, depth, groups)
    # [O, taps * C/groups, H, W], in the order of _stacked
    flat = weight.transpose(1, 2).flatten(1, 2)
    y = F.conv2d(images, flat, bias, stride, padding, dilation, groups)
    return _volume(y, depth).permute(0, 4, 1, 2, 3)


def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    output_padding: Sequence[int],
    groups: int,
    dilation: Sequence[int],
) -> Tensor:
    """[N,C,D,H,W], weight [C,O/groups,D,H,W]: planes of equal phase come from the same taps."""
    (step, *stride), (pad, *padding), (gap, *dilation), (extra, *output_padding) = _triples(
        stride, padding, dilation, output_padding
    )
    depth = (input.shape[2] - 1) * step - 2 * pad + gap * (weight.shape[2] - 1) + extra + 1
    phases = []
    for first in range(min(step, depth)):
        used = [t for t in range(weight.shape[2]) if (first + pad - t * gap) % step == 0]
        starts = [(first + pad - t * gap) // step for t in used]
        # Planes that no tap reaches are the bias: a tap of zeros.
        taps = [weight[:, :, t : t + 1] for t in used] or [torch.zeros_like(weight[:, :, :1])]
        part = torch.cat(taps, 2)
        count = -(-(depth - first) // step)
        images = _stacked(input, starts or [0], 1, count, groups)
        # [taps * C, O/groups, H, W], in the order of _stacked
        flat = part.unflatten(0, (groups, -1)).permute(0, 3, 1, 2, 4, 5).flatten(0, 2)
        y = F.conv_transpose2d(
            images, flat, bias, stride, padding, output_padding, groups, dilation
        )
        phases.append(_volume(y, count))
    return _interleaved(phases, depth).permute(0, 4, 1, 2, 3)


def _triples(*values: Sequence[int]) -> list[list[int]]:
    return [list(v) * (3 // len(v)) for v in values]


def _stacked(x: Tensor, starts: Sequence[int], step: int, count: int, groups: int) -> Tensor:
    """Images [N * count, groups * starts * C/groups, H, W]: image i of a volume has the planes
    ``start + i * step``; those outside are zero.

    Channels are last in between, which is how the images will be stored."""
    x = x.permute(0, 2, 3, 4, 1)
    before = max(0, -min(starts))
    after = max(0, max(starts) + (count - 1) * step + 1 - x.shape[1])
    if before or after:
        x = F.pad(x, (0, 0, 0, 0, 0, 0, before, after))
    planes = [x[:, (s := start + before) : s + (count - 1) * step + 1 : step] for start in starts]
    if groups > 1:
        planes = [plane.unflatten(-1, (groups, -1)) for plane in planes]
    stacked = torch.cat(planes, -1) if len(planes) > 1 else planes[0]
    return stacked.flatten(4).flatten(0, 1).permute(0, 3, 1, 2)


def _volume(images: Tensor, depth: int) -> Tensor:
    """[N * depth, C, H, W] -> [N, depth, H, W, C]."""
    return images.permute(0, 2, 3, 1).unflatten(0, (-1, depth))


def _interleaved(phases: Sequence[Tensor], depth: int) -> Tensor:
    """Planes in turn from each volume; the later ones may lack the last plane."""
    if len(phases) == 1:
        return phases[0]
    count = phases[0].shape[1]
    even = [p if p.shape[1] == count else F.pad(p, (0, 0, 0, 0, 0, 0, 0, 1)) for p in phases]
    return torch.cat([p.unsqueeze(2) for p in even], 2).flatten(1, 2)[:, :depth]


TABLE: dict[str, Callable[..., Tensor]] = {
    "aten.conv3d.default": conv3d,
    "aten.conv_transpose3d.input": conv_transpose3d,
}
