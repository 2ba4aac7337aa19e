"""A model that was baked for one CPU neither compiles nor loads for another."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cortorch.device import Device
from cortorch.errors import BuildError, DeviceError
from cortorch.forms.bake import bake
from cortorch.images import image
from cortorch.images.board import default_board, list_boards, load_board
from cortorch.images.toolchain import host_compiler
from cortorch.paths import firmware_dir, ops_dir
from cortorch.target import parse_target
from operator_cases import accepted

CASE = accepted()[0]


def baked(directory: Path, target: str) -> Path:
    bake({"model": CASE.program()[0]}, directory, parse_target(target))
    return directory


def test_does_not_compile(tmp_path: Path) -> None:
    folder = baked(tmp_path, "cortex-m55")
    includes = [firmware_dir() / "runtime", ops_dir() / "support", ops_dir(), folder]
    command = [
        host_compiler(),
        "-fsyntax-only",
        *(f"-I{i}" for i in includes),
        str(folder / "model.c"),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "model was baked for cortex-m55" in result.stderr


@pytest.mark.emulator
def test_of_the_pc_does_not_compile_for_a_device(tmp_path: Path) -> None:
    board = load_board(default_board())
    with pytest.raises(BuildError, match="model was baked for host"):
        image.build(board, baked(tmp_path / "baked", "host"), "validate", tmp_path / "build")


def test_does_not_load(tmp_path: Path) -> None:
    """The guard of the compiler taken away, the library itself refuses."""
    folder = baked(tmp_path / "baked", "cortex-m0")
    source = folder / "model.c"
    source.write_text(source.read_text().replace("#error", "//"))
    host = next(board for board in map(load_board, list_boards()) if board.is_host)
    built = image.build(host, folder, "validate", tmp_path / "build")
    inputs = [x.contiguous().numpy() for x in CASE.program()[1]]
    with host.runner().start(built) as session:
        device = Device(session)
        with pytest.raises(DeviceError, match="another CPU or instruction set"):
            device.run("model", inputs)
