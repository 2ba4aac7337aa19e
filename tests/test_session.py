"""A session with a board on a cable, as docs/SESSION.md shows it: west, pyserial, and a
pseudo-terminal with QEMU's UART at its other end.

`CORTORCH_RENEW=1 python -m pytest tests/test_session.py` writes the page anew.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import cortorch
from conftest import BUILD, ROOT
from cortorch.images import image
from cortorch.images.board import default_board, load_board
from cortorch.on_device.runners.qemu import QemuRunner
from westspace import run_west

PAGE = ROOT / "docs" / "SESSION.md"
PORT = "/dev/ttyACM0"
START_TIMEOUT_S = 60.0
REDIRECTED = re.compile(rb"char device redirected to (\S+)")
DIGEST = re.compile(r"[0-9a-f]{12}\.\.\.")
CABLE = f"-r serial --port {PORT}"
COMMANDS = (
    f"west run tiny.pte -i x.npy --on {default_board()} {CABLE}",
    f"west compare-steps tiny.pte -i x.npy --on {default_board()} {CABLE}",
    f"west run changed/tiny.pte -i x.npy --on {default_board()} {CABLE}",
    f"west run tiny.pte -i x.npy --on {default_board()} -r serial --port /dev/ttyACM7",
)


@pytest.fixture
def port(model: Path, tmp_path: Path) -> Iterator[str]:
    """The near end of the cable; at the far one, a board that runs the model."""
    board = load_board(default_board())
    built = image.build(board, {"tiny": model}, "validate", BUILD / "session")
    runner = board.runner()
    assert isinstance(runner, QemuRunner)
    command = runner.command(built, 0)
    at = next(i for i, word in enumerate(command) if word.startswith("socket,id=uart"))
    command[at] = "pty,id=uart"
    log = tmp_path / "qemu.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        yield pseudo_terminal(log)
    finally:
        process.kill()
        process.wait()


def pseudo_terminal(log: Path) -> str:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not (match := REDIRECTED.search(log.read_bytes())):
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
    return match[1].decode()


def transcript(workspace: Path, port: str) -> str:
    """The commands, and all that they print; what differs between PCs has an example's name."""
    lines = []
    for command in COMMANDS:
        words = command.replace(PORT, port).split()[1:]
        result = run_west(workspace, *words)
        shown = (result.stdout + result.stderr).replace(port, PORT)
        shown = DIGEST.sub("<12 digits>...", shown)
        lines += [f"$ {command}", shown.rstrip("\n")]
    return "\n".join(lines)


@pytest.mark.emulator
def test_transcript(model: Path, workspace: Path, port: str) -> None:
    for name in ("tiny.pte", "x.npy"):
        shutil.copy(model.with_name(name), workspace)
    (workspace / "changed").mkdir(exist_ok=True)
    x = torch.zeros(1, 2, 4, 4)
    module = torch.nn.Sequential(torch.nn.Conv2d(2, 3, 3), torch.nn.Flatten())
    cortorch.export(module, (x,), calibration=[(x,)]).save(workspace / "changed" / "tiny.pte")
    found = transcript(workspace, port)
    text = PAGE.read_text(encoding="utf-8")
    if os.environ.get("CORTORCH_RENEW"):
        text = re.sub(r"(?<=```console\n).*(?=\n```)", lambda _: found, text, flags=re.S)
        PAGE.write_text(text, encoding="utf-8")
    assert f"```console\n{found}\n```" in text
