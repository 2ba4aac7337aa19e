"""What the tests of a product bring along: its model, and its firmware."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import torch
from torch import nn

import cortorch
from cortorch.program import Program

SAMPLES = 16


def taken(number: int) -> torch.Tensor:
    """As firmware/main.c takes it."""
    return (torch.arange(SAMPLES) * (number + 1) % 16).to(torch.float32)[None] / 16


@pytest.fixture
def measurement() -> Callable[[int], torch.Tensor]:
    return taken


@pytest.fixture(scope="session")
def program() -> Program:
    """Untrained, which is all the same to the tests: the board must compute what the model says."""
    torch.manual_seed(3)
    module = nn.Sequential(nn.Linear(SAMPLES, 12), nn.ReLU(), nn.Linear(12, 4))
    samples = [(taken(n),) for n in range(10)]
    return cortorch.export(module, samples[0], calibration=samples, name="product")


@pytest.fixture(scope="session")
def models(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Takes the place of --model."""
    return {"product": program.save(tmp_path_factory.mktemp("model") / "product.pte")}


@pytest.fixture(scope="session")
def firmware_app() -> Path:
    """Takes the place of the app that serves `dut.run`."""
    return Path(__file__).with_name("firmware")
