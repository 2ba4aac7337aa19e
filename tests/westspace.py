"""West, as its users call it: in a workspace with a checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IN_A_CHECKOUT = ("boards", "cmsis_nn_ops", "firmware", "pytools", "CMakeLists.txt", "west.yml")

Result = subprocess.CompletedProcess[str]


def call(folder: Path, module: str, *words: str | Path) -> Result:
    command = [sys.executable, "-m", module, *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def run_west(folder: Path, *words: str | Path) -> Result:
    return call(folder, "west", *words)


def output(result: Result) -> str:
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def make(top: Path) -> Path:
    """A copy of the checkout in a workspace at `top`."""
    checkout = top / "checkout"
    checkout.mkdir()
    for name in IN_A_CHECKOUT:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, checkout / name)
    output(run_west(checkout, "init", "-l", "."))
    return top
