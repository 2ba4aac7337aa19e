"""docs/adding-an-operator.md, done as it says, in a copy of the checkout."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cortorch.images.board import default_board

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "adding-an-operator.md"
COPIED = (
    "boards",
    "cmsis_nn_ops",
    "firmware",
    "pytools",
    "tests",
    "CMakeLists.txt",
    "pyproject.toml",
)
PROGRAMS = {"python": [sys.executable], "cortorch": [sys.executable, "-m", "cortorch.cli"]}
BLOCK = re.compile(
    r"(?:^`(?P<path>[\w./]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```", re.M | re.S
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path / name)
    return tmp_path


@pytest.mark.emulator
def test_every_step(checkout: Path) -> None:
    printed = [do(block, checkout) for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    assert "cases.py" in printed[0]
    assert " passed" in printed[-3]
    assert f"{default_board()}: the same 64 numbers" in printed[-1]


def do(block: re.Match[str], checkout: Path) -> str:
    """Writes a file, or runs a command; what that printed."""
    if block["path"]:
        path = checkout / block["path"]
        assert path.parent.is_dir(), "a file outside what is there"
        path.write_text(block["text"], encoding="utf-8")
        return ""
    assert block["kind"] == "sh"
    program, *arguments = shlex.split(block["text"])
    result = subprocess.run(
        [*PROGRAMS[program], *arguments],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": f"{checkout}:{checkout / 'pytools'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
