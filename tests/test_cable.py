"""Programmers: what they are told, and what becomes of what they say.

No probe is here, and of the programs only OpenOCD can come from this system: scripts play
their part, so the command lines are checked, not the programs.
"""

from __future__ import annotations

import os
import shutil
import tty
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from serial.tools import list_ports

from cortorch.errors import CorTorchError, RunnerError
from cortorch.images.board import list_boards, load_board
from cortorch.images.image import Image
from cortorch.on_device.runners import Connection, drive
from cortorch.on_device.runners.cable import CableRunner, ToolRunner
from cortorch.on_device.runners.drive import DriveRunner
from testboards import real_boards

TOOL = '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.arguments"\ncat "$0.says"\nexit $(cat "$0.status")\n'
PROBE = "00047110815"

# What the program is told, by runner; {probe} is the probe's number, {elf} and {hex} the image.
COMMANDS = {
    "openocd": "-c|adapter serial {probe}|-c|program {{{elf}}} verify reset exit",
    "pyocd": "load|--no-wait|--target|*|--uid|{probe}|{elf}",
    "jlink": "-SelectEmuBySN|{short}|-CommandFile|{folder}/image.jlink",
    "stlink": "-c|port=SWD|mode=UR|sn={probe}|-w|{hex}|-v|-rst",
    "nrfjprog": "--family|*|--snr|{short}|--program|{hex}|--sectorerase|--verify|--reset",
}
# What the programs say without a probe.
NO_PROBE = {
    "openocd": "Error: unable to find a matching CMSIS-DAP device",
    "pyocd": "No connected debug probes",
    "jlink": "Connecting to J-Link via USB...FAILED: Cannot connect to J-Link.",
    "stlink": "Error: No debug probe detected.",
    "nrfjprog": "ERROR: There is no debugger connected to the PC.",
}


def cases() -> list[tuple[str, str]]:
    """Each runner that uses a program, on the first board that has it."""
    found: dict[str, str] = {}
    for board in list_boards():
        for name, runner in load_board(board).runners.items():
            if isinstance(runner, ToolRunner):
                found.setdefault(name, board)
    return [(board, name) for name, board in found.items()]


def drive_cases() -> list[tuple[str, str]]:
    boards = [load_board(name) for name in list_boards()]
    runners = [(b.name, n, r) for b in boards for n, r in b.runners.items()]
    return [(board, name) for board, name, runner in runners if isinstance(runner, DriveRunner)]


def runner_of(board: str, name: str) -> CableRunner:
    runner = load_board(board).runner(name)
    assert isinstance(runner, CableRunner)
    return runner


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """The one serial port of this PC, which is there to be opened; tests say whose it is."""
    far, near = os.openpty()
    tty.setraw(near)
    only = SimpleNamespace(device=os.ttyname(near), vid=0, pid=0, serial_number=PROBE)
    monkeypatch.setattr(list_ports, "comports", lambda: [only])
    yield only
    os.close(near)
    os.close(far)


def plug_in(port: SimpleNamespace, runner: CableRunner) -> None:
    port.vid, port.pid = (int(text, 16) for text in runner.usb.split(":"))


def install(folder: Path, runner: ToolRunner, image: Image, status: int, says: str) -> Path:
    tool = folder / runner.command(image, None)[0]
    tool.write_text(TOOL)
    tool.chmod(0o755)
    Path(f"{tool}.says").write_text(says)
    Path(f"{tool}.status").write_text(str(status))
    return tool


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    return folder


def test_every_runner_with_a_program_has_a_case() -> None:
    assert {name for _, name in cases()} == COMMANDS.keys() == NO_PROBE.keys()


@pytest.mark.parametrize(("name", "runner_name"), cases())
def test_command(
    name: str, runner_name: str, port: SimpleNamespace, tools: Path, tmp_path: Path
) -> None:
    runner, image = runner_of(name, runner_name), Image(load_board(name), tmp_path)
    assert isinstance(runner, ToolRunner)
    plug_in(port, runner)
    tool = install(tools, runner, image, 0, "done")
    runner.start(image).close()
    told = Path(f"{tool}.arguments").read_text().splitlines()
    facts = {"probe": PROBE, "short": PROBE.lstrip("0"), "folder": tmp_path}
    expected = COMMANDS[runner_name].format(**facts, elf=image.elf, hex=image.hex).split("|")
    tail = told[-len(expected) :]
    assert all(want in ("*", got) for want, got in zip(expected, tail, strict=True)), told


@pytest.mark.parametrize(
    ("says", "message"),
    [
        (None, r"^\S+ finds no debug probe 00047110815; plug in .*$"),
        ("Info: all is well\nError: flash is locked\nbye", r"cannot write the image: Error: flash"),
        ("", r"cannot write the image: it does not say why"),
    ],
    ids=["no-probe", "complaint", "silent"],
)
@pytest.mark.parametrize(("name", "runner_name"), cases())
def test_program_that_fails(
    name: str,
    runner_name: str,
    says: str | None,
    message: str,
    port: SimpleNamespace,
    tools: Path,
    tmp_path: Path,
) -> None:
    runner, image = runner_of(name, runner_name), Image(load_board(name), tmp_path)
    assert isinstance(runner, ToolRunner)
    plug_in(port, runner)
    install(tools, runner, image, 1, NO_PROBE[runner_name] if says is None else says)
    with pytest.raises(RunnerError, match=message) as caught:
        runner.start(image)
    assert "\n" not in str(caught.value)
    assert str(tmp_path / f"{runner_name}.log") in str(caught.value)


@pytest.mark.parametrize("name", real_boards())
def test_the_real_openocd_finds_no_probe(name: str, port: SimpleNamespace, tmp_path: Path) -> None:
    """Its scripts are there, its options are right: it looks for the probe, and finds none."""
    image = Image(load_board(name), tmp_path)
    if shutil.which("openocd") is None or "openocd" not in image.board.runners:
        pytest.skip("OpenOCD is not installed, or does not know the chip")
    runner = runner_of(name, "openocd")
    plug_in(port, runner)
    with pytest.raises(RunnerError) as caught:
        runner.start(image)
    if "Can't find target/" in (tmp_path / "openocd.log").read_text():
        pytest.skip("this OpenOCD is older than the chip")
    assert "openocd finds no debug probe 00047110815" in str(caught.value)


@pytest.mark.parametrize(("name", "runner_name"), drive_cases())
def test_no_drive_two_drives(
    name: str, runner_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner, image = runner_of(name, runner_name), Image(load_board(name), tmp_path)
    assert isinstance(runner, DriveRunner)
    mounts = tmp_path / "mounts"
    monkeypatch.setattr(drive, "MOUNTS", mounts)
    mounts.write_text("proc /proc proc rw 0 0\n")
    with pytest.raises(RunnerError, match=rf"^no drive {runner.volume} is mounted; "):
        runner.start(image)
    line = f"/dev/sda1 {{}}/{runner.volume} vfat rw 0 0\n"
    mounts.write_text(line.format("/media/a\\040b") + line.format("/mnt"))
    with pytest.raises(RunnerError, match=r"2 drives .*: /media/a b/.*, /mnt/.*; choose one with"):
        runner.start(image)
    with pytest.raises(RunnerError, match="there is no drive /none/such; "):
        runner.start(image, connection=Connection(probe="/none/such"))


def test_emulators_have_no_cable(tmp_path: Path) -> None:
    for board in map(load_board, list_boards()):
        for runner in board.runners.values():
            if not runner.needs_hardware:
                with pytest.raises(CorTorchError, match="starts a process of this PC"):
                    runner.start(Image(board, tmp_path), connection=Connection(port="x"))


def test_serial_needs_a_port(tmp_path: Path) -> None:
    board = load_board(real_boards()[0])
    with pytest.raises(RunnerError, match="must be told which port: --port"):
        board.runner("serial").start(Image(board, tmp_path))
