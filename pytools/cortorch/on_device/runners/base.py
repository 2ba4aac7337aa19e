"""What every runner does: it starts an image and hands out the board's UART as a byte stream."""

from __future__ import annotations

import shutil
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cortorch.errors import RunnerError
from cortorch.images.settings import Settings
from cortorch.on_device import fault

if TYPE_CHECKING:
    from cortorch.images.image import Image
    from cortorch.measure.count import InstructionCounter
    from cortorch.on_device.runners.process import Process

# What the firmware sends when its program has ended (ct_platform.h).
CONSOLE_END = b"\x04"

# Most characters of console that an error message repeats.
TAIL_CHARACTERS = 4000


@dataclass(frozen=True)
class Connection:
    """Which board it is, where this PC has several; None takes the only one."""

    port: str | None = None
    """Serial port of its UART."""
    probe: str | None = None
    """Serial number of its debug probe, or folder of its drive."""


ONLY_ONE = Connection()


@dataclass(frozen=True)
class Debugging:
    """A server that gdb can talk to."""

    process: Process
    commands: tuple[str, ...] = ()
    """What gdb is told once it is connected."""
    session: Session | None = None
    """The board's UART, where the server is the board."""

    def close(self) -> None:
        self.process.end()
        if self.session is not None:
            self.session.close()


class Session(ABC):
    """A running board. Use as a context manager.

    `close` ends what the runner started, and only that.
    """

    counter: InstructionCounter | None = None
    """Set by a runner that was asked to count."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self._tail = ""

    def read(self, timeout: float) -> bytes:
        """What has arrived; waits up to `timeout` seconds for the first byte, b"" if none came.

        A board that has died is a RunnerError, once everything that it sent has been read.
        """
        data = self._receive(timeout)
        text = data.decode("ascii", "backslashreplace")
        self._tail = (self._tail + text)[-TAIL_CHARACTERS:]
        return data

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Sends all of it; a board that stops reading is a RunnerError."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def _receive(self, timeout: float) -> bytes: ...

    def console(self, timeout: float) -> Iterator[str]:
        """The program's text until it ends.

        A program that crashes, or is silent for `timeout` seconds, is a RunnerError.
        """
        ended = False
        while not ended:
            data = self.read(timeout)
            if not data:
                raise RunnerError(
                    f"the board is silent for {timeout:g} s, and its program has not ended"
                    + self.tail()
                )
            data, end, _ = data.partition(CONSOLE_END)
            ended = bool(end)
            yield data.replace(b"\0", b"").decode("ascii", "backslashreplace")
        if crash := fault.find(self._tail):
            raise RunnerError(f"the program crashed: {crash.explain(self.image.elf)}")

    def tail(self) -> str:
        """The last lines of the console and what they mean, as the end of an error message."""
        shown = self._tail.replace("\0", "").strip()
        text = f"; its console ends with:\n{shown}" if shown else "; it sent nothing"
        if crash := fault.find(self._tail):
            text += f"\nIt crashed: {crash.explain(self.image.elf)}"
        return text

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Runner(ABC):
    """One way to run an image. Its fields are the facts that board.yml gives it."""

    name: ClassVar[str]
    needs_hardware: ClassVar[bool] = False
    writes: ClassVar[bool] = True
    """Whether `start` brings the image to the board."""
    counts: ClassVar[bool] = False
    """Whether `start` can count instructions."""

    @classmethod
    @abstractmethod
    def read(cls, settings: Settings) -> Runner:
        """Takes its facts from the board file."""

    def start(
        self, image: Image, *, count: bool = False, connection: Connection = ONLY_ONE
    ) -> Session:
        """Boots the image. `count`: let `session.counter` count instructions (QEMU only).

        A missing program is a ToolError.
        """
        if count and not self.counts:
            raise RunnerError(f"the runner '{self.name}' cannot count instructions; use qemu")
        if connection != ONLY_ONE and not self.needs_hardware:
            raise RunnerError(
                f"the runner '{self.name}' starts a process of this PC; port and probe choose"
                " among boards on cables"
            )
        return self._start(image, count, connection)

    def debug(
        self, image: Image, port: int, connection: Connection = ONLY_ONE, *, attach: bool = False
    ) -> Debugging:
        """Starts a server for gdb that listens on localhost.

        Args:
            port: free TCP port.
            attach: take the board as it runs; else the image is loaded, and halted at its start.
        """
        raise RunnerError(f"the runner '{self.name}' has no debugger; choose another with -r")

    @abstractmethod
    def _start(self, image: Image, count: bool, connection: Connection) -> Session: ...


def ends_with_us() -> list[str]:
    """Prefix of a command that Linux ends when we are killed, and cannot end it ourselves.

    The kernel watches the thread that starts the process, so a passing thread must not use it.
    """
    setpriv = shutil.which("setpriv")
    is_main = threading.current_thread() is threading.main_thread()
    if setpriv is None or not is_main or not sys.platform.startswith("linux"):
        return []
    return [setpriv, "--pdeathsig", "TERM"]
