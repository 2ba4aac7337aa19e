"""Exact instruction counts of inferences in QEMU, without a change to the firmware.

A TCG plugin (tcg/insn_count.c) counts what the core executes between three functions of the plan
executor, and writes one line as each run ends: when the device's answer arrives, the line is there.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from cortorch.errors import BuildError
from cortorch.images.sizes import function_addresses
from cortorch.images.toolchain import host_compiler

if TYPE_CHECKING:
    from cortorch.images.image import Image

_SOURCE = Path(__file__).parent / "tcg" / "insn_count.c"
_FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Werror")

# Argument of the plugin -> function of firmware/runtime/ct.c whose entry it marks.
_MARKS = {"begin": "ct_run_steps", "step": "ct_run_step", "end": "ct_run_end"}


@dataclass(frozen=True)
class RunCount:
    """Instructions of one ct_run or ct_run_steps that ended well."""

    total_insns: int
    """From the executor's entry to its end, hooks included."""
    steps: tuple[Mapping[int, int], ...]
    """Of the steps that ran, in order: how often the instruction at an address was executed. The
    executor's own few per step are in them."""

    @property
    def step_insns(self) -> tuple[int, ...]:
        return tuple(sum(step.values()) for step in self.steps)


class InstructionCounter:
    """Counts the runs of one emulator, which gets `qemu_args()` and inherits `fileno()`."""

    def __init__(self, image: Image) -> None:
        self._plugin = _build(image.build_dir)
        self._marks = function_addresses(image.elf, list(_MARKS.values()))
        self._lines: IO[bytes] = tempfile.TemporaryFile(dir=image.build_dir)  # noqa: SIM115
        self._read_bytes = 0

    def fileno(self) -> int:
        return self._lines.fileno()

    def qemu_args(self) -> list[str]:
        places = ",".join(f"{name}={self._marks[mark]:#x}" for name, mark in _MARKS.items())
        return ["-plugin", f"{self._plugin},{places},fd={self.fileno()}"]

    def runs(self) -> list[RunCount]:
        """The runs that have ended since the last call."""
        # The emulator shares the file's position, so it must not be moved here.
        available = os.fstat(self.fileno()).st_size - self._read_bytes
        data = os.pread(self.fileno(), available, self._read_bytes)
        complete = data[: data.rfind(b"\n") + 1]
        self._read_bytes += len(complete)
        return [_run(line) for line in complete.decode("ascii").splitlines()]


def _run(line: str) -> RunCount:
    total, *steps = line.split("|")
    return RunCount(int(total), tuple(map(_step, steps)))


def _step(text: str) -> dict[int, int]:
    pairs = (entry.split(":") for entry in text.split())
    return {int(address, 16): int(count) for address, count in pairs}


def _build(folder: Path) -> Path:
    plugin = folder / "insn_count.so"
    if plugin.exists() and plugin.stat().st_mtime >= _SOURCE.stat().st_mtime:
        return plugin
    # Under its final name only when it is whole: another process may be doing the same.
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        made = Path(scratch) / plugin.name
        command = [host_compiler(), *_FLAGS, str(_SOURCE), "-o", str(made)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            raise BuildError(f"'{' '.join(command)}' failed:\n{result.stderr}")
        made.replace(plugin)
    return plugin
