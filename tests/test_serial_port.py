"""A board on a cable, with a pseudo-terminal in the cable's place."""

from __future__ import annotations

import os
import tty
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from serial.tools import list_ports

from cortorch.errors import RunnerError
from cortorch.images.board import load_board
from cortorch.images.image import Image
from cortorch.on_device.runners import Connection, serial_port
from cortorch.on_device.runners.serial_port import SerialSession
from testboards import real_boards

EVERY_BYTE = bytes(range(256))
Cable = tuple[SerialSession, int]


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[Cable]:
    """The session, and the board's end of the cable."""
    far, near = os.openpty()
    tty.setraw(near)
    image = Image(load_board(real_boards()[0]), tmp_path)
    with SerialSession(image, os.ttyname(near)) as session:
        os.close(near)
        yield session, far
    os.close(far)


def test_every_byte_passes_both_ways(cable: Cable) -> None:
    session, far = cable
    os.write(far, EVERY_BYTE)
    received = b""
    while len(received) < len(EVERY_BYTE):
        received += session.read(timeout=5)
    assert received == EVERY_BYTE
    session.write(EVERY_BYTE)
    assert os.read(far, 1000) == EVERY_BYTE


def test_silence_is_no_error(cable: Cable) -> None:
    session, _ = cable
    assert session.read(timeout=0.01) == b""


def test_busy_port(cable: Cable) -> None:
    session, _ = cable
    with pytest.raises(RunnerError, match=rf"cannot open the serial port {session.port}: "):
        SerialSession(session.image, session.port)


def test_no_such_port(cable: Cable) -> None:
    session, _ = cable
    with pytest.raises(RunnerError, match="cannot open the serial port nonesuch: "):
        SerialSession(session.image, "nonesuch")


def test_unplugged(tmp_path: Path) -> None:
    far, near = os.openpty()
    tty.setraw(near)
    image = Image(load_board(real_boards()[0]), tmp_path)
    with SerialSession(image, os.ttyname(near)) as session:
        os.close(near)
        os.write(far, b"last words")
        assert session.read(timeout=5) == b"last words"
        os.close(far)
        with pytest.raises(RunnerError, match=r"is lost: .*\n?.*last words"):
            session.read(timeout=5)


def test_two_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    def port(name: str, vid: int | None, pid: int | None) -> SimpleNamespace:
        return SimpleNamespace(device=name, vid=vid, pid=pid, serial_number=f"S{name}")

    ports = [port("b", 0x1366, 0x1051), port("other", None, None), port("a", 0x1366, 0x1051)]
    monkeypatch.setattr(list_ports, "comports", lambda: ports)
    with pytest.raises(RunnerError, match=r"2 serial ports of .*: a \(id Sa\), b \(id Sb\)"):
        serial_port.find("1366:1051")
    assert serial_port.find("1366:1051", Connection(probe="Sa")).device == "a"
    assert serial_port.find("1366:1051", Connection(port="b")).serial_number == "Sb"
    assert serial_port.find("1366:1051", Connection(port="unlisted")).serial_number is None
    ports.pop()
    assert serial_port.find("1366:1051").device == "b"
