"""Small modules, one or a few operators each, that must come out int8 from input to output."""

from __future__ import annotations

from torch import nn

from quantized_modules import Case, image

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

MODULES: dict[str, Case] = {**CONVOLUTIONS}
