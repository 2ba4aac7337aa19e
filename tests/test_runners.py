"""Runners: what they start ends with them, and whatever goes wrong is one clear error."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import BUILD
from cortorch.errors import RunnerError, ToolError
from cortorch.images import image
from cortorch.images.board import Board, default_board, load_board
from cortorch.images.image import Image
from cortorch.on_device.runners.fvp import FvpRunner
from cortorch.on_device.runners.qemu import QemuRunner
from handmade import write

FAKE_FVP = """#!/usr/bin/env python3
import socket
server = socket.create_server(("localhost", 0))
port = server.getsockname()[1]
print(f"telnetterminal0: Listening for serial connection on port {port}", flush=True)
peer, _ = server.accept()
while data := peer.recv(100):
    peer.sendall(data)
"""
KILLED_PARENT = """
import os, pathlib, signal, sys
from cortorch.images import board, image
built = image.Image(board.load_board(sys.argv[1]), pathlib.Path(sys.argv[2]))
session = built.board.runner("qemu").start(built)
session.read(timeout=20)
print(session.process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def build(board: Board, kernel: str = "z = y;") -> Image:
    folder = BUILD / "handmade" / f"runners-{board.name}"
    return image.build(board, write(folder / "models", kernel=kernel), "demo", folder)


@pytest.mark.parametrize("runner", ["qemu", "fvp"])
def test_missing_program(runner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board = load_board(default_board())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match=r"apt install|is not on PATH: it is free of charge at"):
        board.runner(runner).start(Image(board, tmp_path))


def test_program_that_dies() -> None:
    built = build(load_board("host"), "__builtin_trap();")
    with built.board.runner().start(built) as session, pytest.raises(RunnerError) as caught:
        list(session.console(timeout=10))
    assert "image.elf was killed by signal" in str(caught.value)


def test_program_that_hangs() -> None:
    built = build(load_board("host"), "for (volatile int32_t i = 0; i < 1;) { }")
    with (
        built.board.runner().start(built) as session,
        pytest.raises(RunnerError, match=r"silent for 0\.5 s, and its program has not ended"),
    ):
        list(session.console(timeout=0.5))


def test_fake_fvp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model's part is played by a script: it prints a port, and echoes what it gets there."""
    board = load_board(default_board())
    runner = board.runner("fvp")
    assert isinstance(runner, FvpRunner)
    program = tmp_path / runner.executable
    program.write_text(FAKE_FVP)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    received = b""
    with runner.start(Image(board, tmp_path)) as session:
        session.write(b"\x00\xffhello")
        while len(received) < 7:
            received += session.read(timeout=10)
    assert received == b"\x00\xffhello"


@pytest.mark.emulator
def test_emulator_that_does_not_start() -> None:
    built = build(load_board(default_board()))
    runner = built.board.runner("qemu")
    assert isinstance(runner, QemuRunner)
    with (
        replace(runner, machine="nonesuch").start(built) as session,
        pytest.raises(RunnerError, match=r"qemu-system-arm ended with exit code 1:(.|\n)*machine"),
    ):
        session.read(timeout=10)


@pytest.mark.emulator
def test_emulator_ends_with_its_killed_parent() -> None:
    built = build(load_board(default_board()))
    command = [sys.executable, "-c", KILLED_PARENT, built.board.name, str(built.build_dir)]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    deadline = time.monotonic() + 10
    while is_running(int(result.stdout)):
        assert time.monotonic() < deadline, "the emulator has outlived its parent"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    try:
        # Empty for a zombie, which only waits for init to collect it.
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False
