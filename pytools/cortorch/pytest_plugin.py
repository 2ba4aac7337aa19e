"""pytest plugin: `--board NAME` gives the fixture `dut`, a board that runs the models under test.

It is loaded by every pytest that has CorTorch installed, so it only adds options; the fixtures come
from `cortorch.pytest_service`, and only when a board was asked for.
"""

from __future__ import annotations

from contextlib import suppress

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cortorch", "CorTorch: tests on a board")
    group.addoption(
        "--board", action="append", default=[], metavar="NAME", help="board to test on (repeatable)"
    )
    group.addoption(
        "--runner", metavar="NAME", help="what runs the board (default: its first runner)"
    )
    # pytest-embedded, where it is installed, has the same option.
    with suppress(ValueError):
        group.addoption("--port", help="serial port of a real board")
