"""Small modules, one or a few operators each, that must come out int8 from input to output."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from quantized_modules import Call, Case, image

SEQUENCE = image(2, 4, 20)
PICTURE = image(1, 6, 5, 6)
VOLUME = image(1, 4, 5, 6, 7)

CONVOLUTIONS: dict[str, Case] = {
    "conv1d": (
        lambda: nn.Sequential(nn.Conv1d(4, 8, 5, padding=2), nn.ReLU(), nn.Conv1d(8, 3, 3, 2)),
        (SEQUENCE,),
    ),
    "conv1d-depthwise-lopsided": (
        lambda: nn.Conv1d(4, 8, 4, groups=4, padding="same"),
        (SEQUENCE,),
    ),
    "conv1d-unbatched": (lambda: nn.Conv1d(4, 6, 3, dilation=2), (SEQUENCE[0],)),
    "conv-transpose1d": (
        lambda: nn.ConvTranspose1d(4, 3, 3, stride=2, output_padding=1),
        (SEQUENCE,),
    ),
    "conv-transpose1d-unbatched": (lambda: nn.ConvTranspose1d(4, 4, 3, groups=2), (SEQUENCE[0],)),
    "conv-transpose2d": (
        lambda: nn.Sequential(
            nn.ConvTranspose2d(6, 4, 3, 2, 1, output_padding=1), nn.BatchNorm2d(4), nn.ReLU()
        ),
        (PICTURE,),
    ),
    "conv-transpose2d-groups": (
        lambda: nn.ConvTranspose2d(6, 4, 3, stride=(2, 1), groups=2, dilation=(1, 3)),
        (PICTURE,),
    ),
    "conv-transpose2d-pointwise": (lambda: nn.ConvTranspose2d(6, 4, 1, stride=2), (PICTURE,)),
    "conv-transpose2d-unbatched": (lambda: nn.ConvTranspose2d(6, 4, 3), (PICTURE[0],)),
    "conv3d": (
        lambda: nn.Sequential(nn.Conv3d(4, 4, 3), nn.BatchNorm3d(4), nn.ReLU(), nn.Conv3d(4, 2, 1)),
        (VOLUME,),
    ),
    "conv3d-groups": (
        lambda: nn.Conv3d(4, 6, (3, 2, 3), (2, 1, 2), (1, 0, 2), (2, 1, 1), groups=2),
        (VOLUME,),
    ),
    "conv3d-unbatched-same": (lambda: nn.Conv3d(4, 4, 3, padding="same"), (VOLUME[0],)),
    "conv-transpose3d": (lambda: nn.ConvTranspose3d(4, 3, 3, stride=2), (VOLUME,)),
    "conv-transpose3d-groups": (
        lambda: nn.ConvTranspose3d(
            4, 4, (3, 2, 3), (2, 1, 3), (1, 0, 1), (1, 0, 0), groups=2, dilation=(1, 2, 1)
        ),
        (VOLUME,),
    ),
    "conv-transpose3d-stride-beyond-kernel": (
        lambda: nn.ConvTranspose3d(4, 3, 1, stride=(3, 1, 2)),
        (VOLUME,),
    ),
}

POOLS: dict[str, Case] = {
    "max-pool3d": (lambda: nn.MaxPool3d(3, 2, 1), (VOLUME,)),
    "max-pool3d-dilated": (lambda: nn.MaxPool3d(2, 1, 0, (2, 1, 3), ceil_mode=True), (VOLUME,)),
    "avg-pool3d": (lambda: nn.AvgPool3d((2, 3, 2), 2, 1, count_include_pad=False), (VOLUME,)),
    "adaptive-avg-pool1d": (lambda: nn.AdaptiveAvgPool1d(6), (SEQUENCE,)),
    "adaptive-avg-pool2d": (lambda: nn.AdaptiveAvgPool2d((3, 4)), (PICTURE,)),
    "adaptive-avg-pool3d": (lambda: nn.AdaptiveAvgPool3d((2, 3, 5)), (VOLUME,)),
    "adaptive-max-pool1d": (lambda: nn.AdaptiveMaxPool1d(6), (SEQUENCE,)),
    "adaptive-max-pool2d": (lambda: nn.AdaptiveMaxPool2d((5, 4)), (PICTURE,)),
    "adaptive-max-pool3d": (lambda: nn.AdaptiveMaxPool3d((2, 3, 5)), (VOLUME,)),
    "upsample-bilinear": (lambda: nn.UpsamplingBilinear2d(scale_factor=2), (PICTURE,)),
    "upsample-bilinear-size": (lambda: nn.Upsample(size=(4, 9), mode="bilinear"), (PICTURE,)),
}

FUNCTIONS: dict[str, Case] = {
    "amax": (lambda: Call(lambda x: torch.amax(x, (0, 1, 3))), (PICTURE,)),
    "amin": (lambda: Call(lambda x: torch.amin(x, -1, keepdim=True)), (PICTURE,)),
    "max": (lambda: Call(lambda x: x.max()), (PICTURE,)),
    "max-values": (lambda: Call(lambda x: x.max(2).values), (PICTURE,)),
    "expand": (lambda: Call(lambda x: (x + x)[:, :1].expand(3, 40, 5, 6)), (PICTURE,)),
    "flip": (lambda: Call(lambda x: torch.flip(x + x, (1, 3))), (PICTURE,)),
    "glu": (lambda: Call(lambda x: F.glu(x, 1)), (PICTURE,)),
    "pad-circular": (lambda: nn.CircularPad2d((1, 2, 3, 0)), (PICTURE,)),
    "pad-reflect": (lambda: nn.Conv2d(6, 4, 3, padding=1, padding_mode="reflect"), (PICTURE,)),
    "pad-replicate": (lambda: nn.ReplicationPad2d((1, 2, 3, 0)), (PICTURE,)),
    "prelu": (lambda: nn.PReLU(6), (PICTURE,)),
    "stack": (lambda: Call(lambda x: torch.stack([x, x + x], 2)), (PICTURE,)),
}

MODULES: dict[str, Case] = {**CONVOLUTIONS, **POOLS, **FUNCTIONS}
