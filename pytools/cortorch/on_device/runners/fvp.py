"""Runs an image in one of Arm's Fixed Virtual Platforms (FVP)."""

from __future__ import annotations

import re
import shutil
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cortorch.errors import RunnerError, ToolError
from cortorch.images.settings import Settings
from cortorch.on_device.runners.base import Connection, Runner
from cortorch.on_device.runners.process import Process, ProcessSession

if TYPE_CHECKING:
    from cortorch.images.image import Image

START_TIMEOUT_S = 30.0
POLL_S = 0.05


@dataclass(frozen=True)
class FvpRunner(Runner):
    """The model listens for its UART's reader on a TCP port that it chooses and prints."""

    name = "fvp"

    executable: str
    terminal: str
    """Path of the model's terminal component behind the UART."""
    args: tuple[str, ...]
    """Parameters of the model, as name=value."""
    get: str
    """How to get the model, for the message when it is not there."""

    @classmethod
    def read(cls, settings: Settings) -> FvpRunner:
        return cls(
            settings.text("executable"),
            settings.text("terminal"),
            tuple(settings.texts("args")),
            settings.text("get"),
        )

    def _start(self, image: Image, count: bool, connection: Connection) -> ProcessSession:
        if shutil.which(self.executable) is None:
            raise ToolError(f"{self.executable} is not on PATH: {self.get}")
        process = Process(self.command(image), image.build_dir)
        port = self._port(process)
        return ProcessSession(image, process, socket.create_connection(("localhost", port)))

    def command(self, image: Image) -> list[str]:
        parameters = [
            f"{self.terminal}.start_telnet=0",  # no terminal window
            f"{self.terminal}.mode=raw",  # every byte as it is
            *self.args,
        ]
        options = [word for parameter in parameters for word in ("-C", parameter)]
        return [self.executable, *options, "-a", str(image.elf)]

    def _port(self, process: Process) -> int:
        instance = self.terminal.rpartition(".")[2]
        listening = re.compile(rf"{re.escape(instance)}: Listening .* port (\d+)")
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            if match := listening.search(process.log()):
                return int(match[1])
            if not process.is_running:
                raise RunnerError(process.death())
            time.sleep(POLL_S)
        process.end()
        raise RunnerError(
            f"{self.executable} has not opened a port for {self.terminal} in {START_TIMEOUT_S:g} s"
        )
