"""The validate app as a process of this PC, under the sanitizers, and bad lines to it."""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cortorch.errors import RunnerError
from cortorch.images.toolchain import host_compiler
from cortorch.on_device.protocol import c_header
from cortorch.on_device.protocol.client import Stream
from cortorch.paths import firmware_dir, ops_dir

MODELS = Path(__file__).parent / "protocol"
BOARD = """\
#define CT_BOARD_NAME "host"
#define CT_BOARD_TARGET "host"
#define CT_FRAME_BYTES 1024u
"""
FLAGS = (
    *("-std=c11", "-D_POSIX_C_SOURCE=200809L", "-DCT_HOST", "-O1", "-g"),
    *("-Wall", "-Wextra", "-Wconversion", "-Werror"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
)


def build(directory: Path) -> Path:
    """Compiles the app; the executable's path."""
    (directory / "ct_protocol.h").write_text(c_header(), encoding="utf-8")
    (directory / "ct_board.h").write_text(BOARD, encoding="utf-8")
    firmware = firmware_dir()
    sources = [
        *sorted((firmware / "protocol").glob("*.c")),
        *(firmware / name for name in ("runtime/ct.c", "platform/host.c", "uart/stdio.c")),
        firmware / "apps" / "validate" / "main.c",
        MODELS / "models.c",
    ]
    folders = [firmware / name for name in ("runtime", "protocol", "platform", "uart")]
    includes = [f"-I{path}" for path in (directory, MODELS, ops_dir() / "support", *folders)]
    executable = directory / "validate"
    subprocess.run([host_compiler(), *FLAGS, *includes, *sources, "-o", executable], check=True)
    return executable


class Process(Stream):
    """The app on a pair of pipes. Its death, a sanitizer's report included, is a RunnerError."""

    def __init__(self, executable: Path) -> None:
        self._process = subprocess.Popen(
            [executable], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        assert self._process.stdin
        assert self._process.stdout
        self._input, self._output = self._process.stdin, self._process.stdout

    def read(self, timeout: float) -> bytes:
        ready, _, _ = select.select([self._output], [], [], timeout)
        if not ready:
            return b""
        data = os.read(self._output.fileno(), 1 << 16)
        if not data:
            raise RunnerError(f"the app ended with status {self._process.wait()}")
        return data

    def write(self, data: bytes) -> None:
        self._input.write(data)

    def close(self) -> int:
        """Unplugs the line; the app's exit status, which a sanitizer makes other than 0."""
        self._input.close()
        self._output.read()
        return self._process.wait()


@dataclass(frozen=True)
class Fault:
    """What happens to one transfer: its kind, and where in the data (a fraction)."""

    kind: str
    where: float


KINDS = ("pass", "drop", "repeat", "flip", "cut", "insert", "split", "hold")


class BadLine(Stream):
    """Does the faults, in order, to what is written and read; after the last one it is good."""

    def __init__(self, line: Stream, faults: Iterable[Fault] = ()) -> None:
        self._line = line
        self.faults = iter(faults)
        self.transfers = 0
        self._arrived: list[bytes] = []
        self._held = b""

    def write(self, data: bytes) -> None:
        for piece in self._spoil(data):
            self._line.write(piece)

    def read(self, timeout: float) -> bytes:
        if not self._arrived:
            data = self._line.read(timeout)
            self._arrived = list(self._spoil(data)) if data else []
        return self._arrived.pop(0) if self._arrived else b""

    def _spoil(self, data: bytes) -> Iterator[bytes]:
        self.transfers += 1
        fault = next(self.faults, Fault("pass", 0))
        at = int(fault.where * (len(data) - 1))
        spoiled = {
            "pass": [data],
            "drop": [],
            "repeat": [data, data],
            "flip": [data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :]],
            "cut": [data[:at]],
            "insert": [data[:at] + b"boot\0\xff" + data[at:]],
            "split": [data[:at], data[at:]],
            "hold": [],
        }[fault.kind]
        for piece in spoiled:
            yield self._held + piece
            self._held = b""
        if fault.kind == "hold":
            self._held += data
