"""Networks for tests: small ones defined here, and the trained MLPerf Tiny ones where they are at
hand.

The trained ones are not part of this repository: $CORTORCH_MODELS, or the folder shared/models
beside the checkout.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import nn

ROOT = Path(__file__).resolve().parent.parent
TRAINED = ("resnet8", "mobilenet_v1_025", "ds_cnn", "deep_autoencoder", "streaming_wakeword")
CALIBRATION_SAMPLES = 32

Inputs = tuple[Any, ...]
Network = tuple[nn.Module, list[Inputs]]


def trained_folder() -> Path:
    return Path(os.environ.get("CORTORCH_MODELS") or ROOT.parent / "shared" / "models")


def trained(name: str) -> Network | None:
    """A trained network in eval mode and inputs for it; None where it is absent."""
    script = trained_folder() / "models.py"
    if not script.is_file():
        return None
    module, inputs, _, meta = _load(script).load(name)
    if not inputs:
        low, high = meta["input_range"]
        g = torch.Generator().manual_seed(0)
        inputs = [
            torch.rand(meta["input_shape"], generator=g) * (high - low) + low for _ in range(8)
        ]
    return module, [(x,) for x in inputs[:CALIBRATION_SAMPLES]]


def _load(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("trained_models", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Residual(nn.Module):
    """Two branches that join, a stem with batch norm, a flatten behind a feature map larger than
    one pixel."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 12, 3, 2, bias=False), nn.BatchNorm2d(12), nn.ReLU6()
        )
        self.pad = nn.ZeroPad2d((0, 1, 0, 1))
        self.branch = nn.Sequential(
            nn.Conv2d(12, 12, 3, padding=1, groups=12), nn.ReLU(), nn.Conv2d(12, 12, 1)
        )
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(12 * 4 * 4, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(self.pad(x))
        x = torch.relu(x + self.branch(x))
        return torch.softmax(self.head(self.pool(x).flatten(1)), dim=-1)


class Mixed(nn.Module):
    """Concatenation, slice, pad with a value, mean, elementwise functions, an unbatched vector, two
    outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.left = nn.Conv2d(4, 6, 1)
        self.right = nn.Conv2d(4, 10, (3, 1), padding="same", dilation=(2, 1))
        self.norm = nn.BatchNorm2d(16)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        both = torch.cat([self.left(x), self.right(x)], dim=1)
        both = self.norm(nn.functional.hardtanh(both, -2.0, 2.0))
        part = nn.functional.pad(both[:, 2:12], (1, 1, 0, 0))
        pooled = nn.functional.avg_pool2d(part, 2, ceil_mode=True, count_include_pad=False)
        return {"mean": part.mean(dim=(2, 3)) * 0.5, "map": nn.functional.hardswish(pooled)}


class Sequence(nn.Module):
    """Rank 3 and 2: linear layers on [N, T, C], softmax over the time, subtraction and product."""

    def __init__(self) -> None:
        super().__init__()
        self.key = nn.Linear(8, 5)
        self.value = nn.Linear(8, 5)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        weights = torch.softmax(self.key(x), dim=1)
        value = torch.clamp(self.value(y), max=1.5)
        return weights * value, weights - torch.sigmoid(value)


SMALL: dict[str, tuple[Callable[[], nn.Module], tuple[tuple[int, ...], ...]]] = {
    "residual": (Residual, ((1, 3, 18, 18),)),
    "mixed": (Mixed, ((1, 4, 7, 6),)),
    "sequence": (Sequence, ((1, 6, 8), (1, 6, 8))),
}


def small(name: str) -> Network:
    make, shapes = SMALL[name]
    torch.manual_seed(0)
    module = make().eval()
    g = torch.Generator().manual_seed(1)
    return module, [tuple(torch.randn(s, generator=g) for s in shapes) for _ in range(8)]
