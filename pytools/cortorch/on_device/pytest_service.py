"""Fixtures for tests on a board: `board`, `models`, `firmware`, `dut`.

A service of pytest-embedded, beside its QEMU service: that one starts Espressif's machines only.
`board`, `models` and `firmware_app` are meant to be overridden in a conftest.py where the command
line is not the place to say it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pytest_embedded import App

from cortorch.images.board import Board, load_board
from cortorch.images.image import Image, build, existing
from cortorch.on_device.pytest_dut import BoardDut
from cortorch.on_device.runners import Connection, Runner


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "board" in metafunc.fixturenames:
        names = metafunc.config.option.board
        metafunc.parametrize("board", names, indirect=True, scope="session")


@pytest.fixture(scope="session")
def board(request: pytest.FixtureRequest) -> Board:
    """The board under test; a test that uses it runs once for each `--board`."""
    return load_board(request.param)


@pytest.fixture(scope="session")
def runner(board: Board, request: pytest.FixtureRequest) -> Runner:
    return board.runner(request.config.option.runner)


@pytest.fixture(scope="session")
def models(request: pytest.FixtureRequest) -> Mapping[str, Path] | Path:
    """.pte files by the name that they get in the image; or a folder of baked models."""
    from cortorch.commands.build import named_models

    paths = tuple(request.config.option.model)
    if not paths:
        pytest.fail("no model is chosen: --model FILE.pte, or your own fixture `models`", False)
    return named_models(paths)


@pytest.fixture(scope="session")
def firmware_app() -> str | Path:
    """The app of the image. `dut.run` needs the protocol, which `validate` serves."""
    return "validate"


@pytest.fixture(scope="session")
def firmware(
    board: Board,
    models: Mapping[str, Path] | Path,
    firmware_app: str | Path,
    request: pytest.FixtureRequest,
) -> Image:
    """The image of the models, built once and kept for the next time; with --no-build, the one
    that is there."""
    build_dir = request.config.rootpath / "build" / "cortorch" / board.name
    if request.config.option.no_build:
        return existing(board, build_dir)
    return build(board, models, firmware_app, build_dir)


@pytest.fixture
def dut(
    pexpect_proc: Any,
    msg_queue: Any,
    app: App,
    _pexpect_logfile: str,
    _meta: Any,
    runner: Runner,
    firmware: Image,
    request: pytest.FixtureRequest,
) -> Iterator[BoardDut]:
    """A freshly started board; what it starts, and only that, ends with the test."""
    connection = Connection(request.config.option.port)
    with runner.start(firmware, connection=connection) as session:
        dut = BoardDut(
            session,
            pexpect_proc=pexpect_proc,
            msg_queue=msg_queue,
            app=app,
            pexpect_logfile=_pexpect_logfile,
            test_case_name=request.node.name,
            meta=_meta,
        )
        try:
            yield dut
        finally:
            dut.close()
