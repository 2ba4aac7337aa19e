"""Order, seeds and failure reports of all tests."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"

# Nothing is written outside the checkout. pytest reads this when it makes its first folder.
(BUILD / "pytest").mkdir(parents=True, exist_ok=True)
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(BUILD / "pytest"))

# Cheap tests first: a broken reference should not wait for an emulator to boot.
TIERS = ("device-free", "emulator", "hardware")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "emulator: boots an emulated board")
    config.addinivalue_line("markers", "hardware: needs a real board; runs only with --port")
    if not config.option.root_logdir:
        config.option.root_logdir = config.option.cache_dir = str(BUILD / "pytest")


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
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Ends each failure with the one command that runs just that test again."""
    report = yield
    if report.failed:
        command = f".venv/bin/python -m pytest {shlex.quote(item.nodeid)}"
        report.sections.append(("run this test again", command))
    return report


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Depends on the test's name only: the same numbers alone, in the whole run, and on CI."""
    return int.from_bytes(hashlib.sha256(request.node.nodeid.encode()).digest()[:4], "little")


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)
