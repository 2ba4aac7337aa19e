"""A board that is a process of this PC, with its UART on a socket."""

from __future__ import annotations

import select
import socket
import subprocess
import tempfile
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from cortorch.errors import RunnerError
from cortorch.on_device.runners.base import TAIL_CHARACTERS, Session, ends_with_us

if TYPE_CHECKING:
    from cortorch.images.image import Image

READ_BYTES = 1 << 16
# A board that works never stops reading for as long as this, however slow the PC.
WRITE_TIMEOUT_S = 60.0
END_TIMEOUT_S = 5.0


class Process:
    """A child of ours and what it says on stdout and stderr; it ends when this object does."""

    def __init__(
        self,
        command: Sequence[str],
        log_dir: Path,
        *,
        pass_fds: Sequence[int] = (),
        stdio: socket.socket | None = None,
    ) -> None:
        self.name = Path(command[0]).name
        # Without a name in the folder: two sessions never share it, and none is left behind.
        self._log: IO[bytes] = tempfile.TemporaryFile(dir=log_dir)  # noqa: SIM115
        self._child = subprocess.Popen(
            [*ends_with_us(), *command],
            stdin=subprocess.DEVNULL if stdio is None else stdio.fileno(),
            stdout=self._log if stdio is None else stdio.fileno(),
            stderr=self._log,
            pass_fds=pass_fds,
            start_new_session=True,  # a Ctrl-C on the terminal is ours, or gdb's
        )
        self.end: Callable[[], object] = weakref.finalize(self, _end, self._child, self._log)

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def is_running(self) -> bool:
        return self._child.poll() is None

    def death(self) -> str:
        """How it ended, and its last words."""
        try:
            code = self._child.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return f"{self.name} has closed its UART, but goes on"
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return f"{self.name} {how}" + (f":\n{self.log()}" if self.log() else "")

    def log(self) -> str:
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace").strip()[-TAIL_CHARACTERS:]


def _end(child: subprocess.Popen[bytes], log: IO[bytes]) -> None:
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    log.close()


class ProcessSession(Session):
    def __init__(self, image: Image, process: Process, uart: socket.socket) -> None:
        super().__init__(image)
        self.process = process
        self._uart = uart
        uart.setblocking(False)

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        deadline = time.monotonic() + WRITE_TIMEOUT_S
        while rest:
            if not select.select([], [self._uart], [], max(0.0, deadline - time.monotonic()))[1]:
                raise RunnerError(
                    f"the board has not read its UART for {WRITE_TIMEOUT_S:g} s" + self.tail()
                )
            try:
                rest = rest[self._uart.send(rest) :]
            except OSError:
                raise self._dead() from None

    def _receive(self, timeout: float) -> bytes:
        if not select.select([self._uart], [], [], timeout)[0]:
            return b""
        try:
            data = self._uart.recv(READ_BYTES)
        except OSError:
            data = b""
        if not data:
            raise self._dead()
        return data

    def _dead(self) -> RunnerError:
        return RunnerError(self.process.death() + self.tail())

    def close(self) -> None:
        self.process.end()
        self._uart.close()
