"""The five networks of the benchmark: MLPerf Tiny's four, and MobileNetV2.

The shapes are those of the published networks; the weights are random, from a seed that is the
network's name. Instruction counts hardly depend on weights.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import nn

CALIBRATION_SAMPLES = 8


def same(kernel: int, size: int, stride: int) -> tuple[int, int]:
    """Padding before and behind so that the output has ceil(size / stride) positions; an odd one
    goes behind."""
    outputs = -(-size // stride)
    total = max((outputs - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def convolution(
    channels: tuple[int, int],
    kernel: tuple[int, int],
    size: tuple[int, int],
    *,
    stride: int = 1,
    groups: int = 1,
    relu: bool = True,
) -> nn.Sequential:
    """Padded so that only the stride makes the output smaller than `size`, and normalized."""
    top, bottom = same(kernel[0], size[0], stride)
    left, right = same(kernel[1], size[1], stride)
    layers: list[nn.Module] = [
        nn.ZeroPad2d((left, right, top, bottom)),
        nn.Conv2d(*channels, kernel, stride, groups=groups, bias=False),
        nn.BatchNorm2d(channels[1]),
    ]
    return nn.Sequential(*layers, *([nn.ReLU()] if relu else []))


def separable(
    channels: tuple[int, int], size: tuple[int, int], stride: int = 1
) -> tuple[nn.Module, nn.Module]:
    """A depthwise 3x3 convolution and a pointwise one behind it."""
    first, last = channels
    smaller = (-(-size[0] // stride), -(-size[1] // stride))
    return (
        convolution((first, first), (3, 3), size, stride=stride, groups=first),
        convolution((first, last), (1, 1), smaller),
    )


def classifier(features: int, classes: int) -> nn.Sequential:
    return nn.Sequential(nn.Flatten(), nn.Linear(features, classes), nn.Softmax(dim=1))


def ds_cnn() -> nn.Module:
    """Keyword spotting: 49 frames of 10 MFCCs, 12 words."""
    layers: list[nn.Module] = [convolution((1, 64), (10, 4), (49, 10), stride=2)]
    for _ in range(4):
        layers += separable((64, 64), (25, 5))
    return nn.Sequential(*layers, nn.AvgPool2d((25, 5)), classifier(64, 12))


def mobilenet_v1_025() -> nn.Module:
    """Visual wake words: MobileNetV1 of a quarter of the width, 96x96 pixels, 2 classes."""
    layers: list[nn.Module] = [convolution((3, 8), (3, 3), (96, 96), stride=2)]
    channels, size = 8, 48
    for wider, stride in ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2)):
        layers += separable((channels, wider), (size, size), stride)
        channels, size = wider, size // stride
    for _ in range(5):
        layers += separable((128, 128), (size, size))
    layers += separable((128, 256), (size, size), 2)
    layers += separable((256, 256), (3, 3))
    return nn.Sequential(*layers, nn.AvgPool2d(3), classifier(256, 2))


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions beside a shortcut, which is a 1x1 convolution where the shape
    changes."""

    def __init__(self, channels: tuple[int, int], size: int) -> None:
        super().__init__()
        first, last = channels
        stride = 1 if first == last else 2
        out = size // stride
        self.body = nn.Sequential(
            convolution(channels, (3, 3), (size, size), stride=stride),
            convolution((last, last), (3, 3), (out, out), relu=False),
        )
        self.shortcut = nn.Conv2d(first, last, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.body(x) + self.shortcut(x))


def resnet8() -> nn.Module:
    """Image classification: 32x32 pixels, 10 classes."""
    return nn.Sequential(
        convolution((3, 16), (3, 3), (32, 32)),
        ResidualBlock((16, 16), 32),
        ResidualBlock((16, 32), 32),
        ResidualBlock((32, 64), 16),
        nn.AvgPool2d(8),
        classifier(64, 10),
    )


def deep_autoencoder() -> nn.Module:
    """Anomaly detection: 640 features through a bottleneck of 8, and back."""
    widths = (640, 128, 128, 128, 128, 8, 128, 128, 128, 128)
    layers: list[nn.Module] = []
    for before, behind in pairwise(widths):
        layers += [nn.Linear(before, behind), nn.BatchNorm1d(behind), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(128, 640))


class InvertedResidual(nn.Module):
    """Expand, filter each channel, project; with a shortcut where the shape stays."""

    def __init__(self, channels: tuple[int, int], expansion: int, stride: int) -> None:
        super().__init__()
        first, last = channels
        wide = first * expansion
        expand = clipped(first, wide, 1) if expansion > 1 else []
        self.body = nn.Sequential(
            *expand,
            *clipped(wide, wide, 3, stride, groups=wide),
            nn.Conv2d(wide, last, 1, bias=False),
            nn.BatchNorm2d(last),
        )
        self.has_shortcut = stride == 1 and first == last

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.body(x) if self.has_shortcut else self.body(x)


def clipped(
    inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1
) -> list[nn.Module]:
    """A convolution padded evenly, normalized, and clipped to 0..6."""
    padding = kernel // 2
    return [
        nn.Conv2d(inputs, outputs, kernel, stride, padding, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU6(),
    ]


def mobilenet_v2() -> nn.Module:
    """MobileNetV2 of full width: 224x224 pixels, 1000 classes (Sandler et al. 2018, table 2)."""
    layers: list[nn.Module] = clipped(3, 32, 3, 2)
    channels = 32
    # Expansion, output channels, repetitions, stride of the first.
    for expansion, outputs, count, stride in (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ):
        for i in range(count):
            step = stride if i == 0 else 1
            layers.append(InvertedResidual((channels, outputs), expansion, step))
            channels = outputs
    layers += clipped(channels, 1280, 1)
    return nn.Sequential(*layers, nn.AvgPool2d(7), nn.Flatten(), nn.Linear(1280, 1000))


@dataclass(frozen=True)
class Network:
    make: Callable[[], nn.Module]
    input_shape: tuple[int, ...]
    boards: tuple[str, ...] = ()
    """Where it is measured, if not on all boards that can hold it."""

    @property
    def name(self) -> str:
        return self.make.__name__

    def belongs_on(self, board: str) -> bool:
        return not self.boards or board in self.boards

    def build(self) -> tuple[nn.Module, list[tuple[torch.Tensor]]]:
        """The module in eval mode, and inputs for it; the same ones every time."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(zlib.crc32(self.name.encode()))
            module = self.make()
            inputs = [torch.randn(self.input_shape) for _ in range(CALIBRATION_SAMPLES)]
        normalize(module, torch.cat(inputs))
        return module.eval(), [(x,) for x in inputs]


def normalize(module: nn.Module, batch: torch.Tensor) -> None:
    """Sets the batch norms by what they see, so that no layer's output fades away."""
    for layer in module.modules():
        if isinstance(layer, nn.modules.batchnorm._BatchNorm):
            layer.momentum = None  # a plain average, of this one batch
    with torch.no_grad():
        module.train()(batch)


NETWORKS = {
    network.name: network
    for network in (
        Network(ds_cnn, (1, 1, 49, 10)),
        Network(mobilenet_v1_025, (1, 3, 96, 96)),
        Network(resnet8, (1, 3, 32, 32)),
        Network(deep_autoencoder, (1, 640)),
        # 300 million MACs: on the cores that have targets.
        Network(mobilenet_v2, (1, 3, 224, 224), boards=("corstone300", "mps2-an386")),
    )
}
