"""gdb on QEMU's own server; on those of debug probes' programs, whose part scripts play."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from conftest import BUILD
from cortorch.errors import RunnerError, ToolError
from cortorch.images import image
from cortorch.images.board import default_board, list_boards, load_board
from cortorch.images.image import Image
from cortorch.on_device import debugger
from cortorch.on_device.runners import Connection
from handmade import write

SERVER = """#!{python}
import socket, sys, pathlib, time
words = sys.argv[1:]
pathlib.Path(sys.argv[0] + ".arguments").write_text("\\n".join(words))
text = " ".join(words).replace(";", " ").split()
port = next(text[i + 1] for i, word in enumerate(text) if word in ("gdb_port", "--port", "-Port"))
server = socket.create_server(("127.0.0.1", int(port)))
time.sleep(60)
"""
GDB = '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.arguments"\n'
SERVERS = {
    "openocd": ("openocd", "adapter serial 0042"),
    "pyocd": ("pyocd", "--uid\n0042"),
    "jlink": ("JLinkGDBServerCLExe", "-Select\nusb=42"),
}


def build(name: str) -> Image:
    folder = BUILD / "handmade" / f"debug-{name}"
    return image.build(load_board(name), write(folder / "models"), "demo", folder)


def put(path: Path, script: str) -> Path:
    path.write_text(script)
    path.chmod(0o755)
    return path


@pytest.mark.emulator
def test_gdb_on_the_emulator(capfd: pytest.CaptureFixture[str]) -> None:
    if not any(map(shutil.which, debugger.GDBS)):
        pytest.skip("no gdb for Arm is installed")
    built = build(default_board())
    words = ("-batch", "-ex", "break main", "-ex", "continue", "-ex", "print/x ct_models[0]->abi")
    assert debugger.debug(built, built.board.runner(), arguments=words) == 0
    shown = capfd.readouterr().out
    assert "ct_reset_handler" in shown, "halted before the first instruction"
    assert "Breakpoint 1, main" in shown
    assert "$1 = 0x1\n" in shown


@pytest.mark.parametrize("attach", [False, True], ids=["debug", "attach"])
@pytest.mark.parametrize("runner_name", SERVERS)
def test_server_of_a_probe(
    runner_name: str, attach: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = next(b for b in map(load_board, list_boards()) if runner_name in b.runners)
    program, serial = SERVERS[runner_name]
    server = put(tmp_path / program, SERVER.format(python=sys.executable))
    gdb = put(tmp_path / debugger.GDBS[0], GDB)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    built, connection = Image(board, tmp_path), Connection(probe="0042")
    assert debugger.debug(built, board.runner(runner_name), connection, attach=attach) == 0
    assert serial in Path(f"{server}.arguments").read_text()
    told = Path(f"{gdb}.arguments").read_text()
    assert "target extended-remote localhost:" in told
    assert ("\nload\n" in told) is not attach


def test_server_that_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board = next(b for b in map(load_board, list_boards()) if "openocd" in b.runners)
    put(tmp_path / "openocd", "#!/bin/sh\necho Error: no device found\nexit 1\n")
    put(tmp_path / debugger.GDBS[0], GDB)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(RunnerError, match="openocd ended with exit code 1:\nError: no device"):
        debugger.debug(Image(board, tmp_path), board.runner("openocd"))


def test_no_gdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    board = load_board(default_board())
    with pytest.raises(ToolError, match="apt install gdb-multiarch"):
        debugger.debug(Image(board, tmp_path), board.runner())


def test_nothing_to_attach_to(tmp_path: Path) -> None:
    board = load_board(default_board())
    with pytest.raises(RunnerError, match="there is none to attach to; use the command `debug`"):
        board.runner().debug(Image(board, tmp_path), 1, attach=True)


@pytest.mark.parametrize("board_name", list_boards())
def test_runners_without_a_debugger_say_so(board_name: str, tmp_path: Path) -> None:
    board = load_board(board_name)
    for name, runner in board.runners.items():
        if name not in ("qemu", *SERVERS):
            with pytest.raises(RunnerError, match=f"the runner '{name}' has no debugger; choose"):
                runner.debug(Image(board, tmp_path), 1)
