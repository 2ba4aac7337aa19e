"""Order, seeds and failure reports of all tests."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest

import westspace
from cortorch.errors import ToolError
from testboards import emulated_boards

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"

# Nothing is written outside the checkout. pytest reads this when it makes its first folder.
(BUILD / "pytest").mkdir(parents=True, exist_ok=True)
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(BUILD / "pytest"))
# Tensors of tests are too small to be shared among threads, which would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Cheap tests first: a broken reference should not wait for an emulator to boot.
TIERS = ("device-free", "emulator", "hardware")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "emulator: boots an emulated board")
    config.addinivalue_line("markers", "hardware: needs a real board; runs only with --port")
    if not config.option.root_logdir:
        config.option.root_logdir = config.option.cache_dir = str(BUILD / "pytest")
    if not config.option.board:
        config.option.board = emulated_boards()


def tier(item: pytest.Item) -> str:
    return next((name for name in TIERS if item.get_closest_marker(name)), TIERS[0])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: TIERS.index(tier(item)))
    if config.option.port is None:
        for item in items:
            if tier(item) == "hardware":
                item.add_marker(
                    pytest.mark.skip(reason="needs a real board: --board NAME --port PORT")
                )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Ends each failure with the one command that runs just that test again."""
    report = yield
    if report.failed and is_missing_emulator(item, call):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: {call.excinfo.value}")
    if report.failed:
        command = f".venv/bin/python -m pytest {shlex.quote(item.nodeid)}"
        report.sections.append(("run this test again", command))
    return report


def is_missing_emulator(item: pytest.Item, call: pytest.CallInfo[None]) -> bool:
    """On CI that is a failure: a green run must have booted every board."""
    missing = call.excinfo is not None and call.excinfo.errisinstance(ToolError)
    return missing and tier(item) == "emulator" and not os.environ.get("CI")


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`tiny.pte` with samples for the demo app; beside it an input and its output, x and y.npy."""
    import torch

    import cortorch
    from cortorch.forms.bake import Sample
    from cortorch.on_device import samples

    torch.manual_seed(1)
    x = torch.randn(1, 2, 4, 4)
    module = torch.nn.Sequential(torch.nn.Conv2d(2, 3, 3), torch.nn.ReLU(), torch.nn.Flatten())
    program = cortorch.export(module, (x,), calibration=[(x,)])
    path = program.save(tmp_path_factory.mktemp("model") / "tiny.pte")
    samples.save(path, [Sample([x.numpy()], "first"), Sample([-x.numpy()], "second")])
    np.save(path.with_name("x.npy"), x.numpy())
    np.save(path.with_name("y.npy"), program.run(x).numpy())
    return path


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in a west workspace; the folder returned is the workspace."""
    return westspace.make(tmp_path_factory.mktemp("workspace"))


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Depends on the test's name only: the same numbers alone, in the whole run, and on CI."""
    return int.from_bytes(hashlib.sha256(request.node.nodeid.encode()).digest()[:4], "little")


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)
