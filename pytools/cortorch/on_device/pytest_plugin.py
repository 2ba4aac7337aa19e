"""pytest plugin: `--board NAME` gives the fixture `dut`, a board that runs the models under test.

It is loaded by every pytest that has CorTorch installed, so it only adds options; the fixtures come
from `cortorch.on_device.pytest_service`, and only when a board was asked for.
"""

from __future__ import annotations

from contextlib import suppress

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cortorch", "CorTorch: tests on a board")
    group.addoption(
        "--board",
        action="append",
        default=[],
        metavar="NAME",
        help="board for the fixture `dut` (repeatable)",
    )
    group.addoption("--runner", metavar="NAME", help="what runs it (default: its first runner)")
    group.addoption(
        "--no-build", action="store_true", help="take the image of the last run as it is"
    )
    group.addoption(
        "--model",
        action="append",
        default=[],
        metavar="FILE.pte",
        help="model for the fixture `models` (repeatable)",
    )
    # pytest-embedded, where it is installed, has the same option.
    with suppress(ValueError):
        group.addoption("--port", help="serial port of a real board")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """After every conftest.py, which may choose boards by itself."""
    if not config.option.board:
        return
    if not config.pluginmanager.has_plugin("pytest_embedded"):
        raise pytest.UsageError("--board needs pytest-embedded: pip install 'cortorch[pytest]'")
    # Registered last, its `dut` takes the place of pytest-embedded's.
    config.pluginmanager.import_plugin("cortorch.on_device.pytest_service")
