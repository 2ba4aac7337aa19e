"""Boards on a cable: something writes the image, the UART is a serial port of this PC."""

from __future__ import annotations

import re
import shutil
import subprocess
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cortorch.errors import RunnerError, ToolError
from cortorch.files import write_if_changed
from cortorch.images.settings import Settings
from cortorch.on_device.runners import serial_port
from cortorch.on_device.runners.base import Connection, Debugging, Runner
from cortorch.on_device.runners.process import Process
from cortorch.on_device.runners.serial_port import SerialSession

if TYPE_CHECKING:
    from cortorch.images.image import Image

FLASH_TIMEOUT_S = 120.0

_COMPLAINT = re.compile(r"error|fail|cannot|unable|\bno\b.*\b(found|detected|connected)", re.I)


@dataclass(frozen=True)
class CableRunner(Runner):
    needs_hardware = True

    usb: str
    """`vendor:product` of the USB device whose serial port is the UART."""

    def _start(self, image: Image, count: bool, connection: Connection) -> SerialSession:
        self.check(image)
        port = serial_port.find(self.usb, connection)
        session = SerialSession(image, port.device)
        try:
            self.write(image, connection.probe or port.serial_number)
        except Exception:
            session.close()
            raise
        return session

    @abstractmethod
    def check(self, image: Image) -> None:
        """Raises what is certain to fail, before anything is opened."""

    @abstractmethod
    def write(self, image: Image, probe: str | None) -> None:
        """Writes the image into the board, and starts it."""


class ToolRunner(CableRunner):
    """A program writes the image through a debug probe."""

    get: ClassVar[str]
    """How to get the program, for the message when it is not there."""
    no_probe: ClassVar[str]
    """Regular expression of what the program says when it finds no probe."""

    @abstractmethod
    def command(self, image: Image, probe: str | None) -> list[str]:
        """Writes the image, checks it, and resets the board.

        `probe`: serial number; None takes the only one.
        """

    def check(self, image: Image) -> None:
        require(self.command(image, None)[0], self.get)

    def write(self, image: Image, probe: str | None) -> None:
        command = self.command(image, probe)
        output = _run(command, image)
        if output is not None:
            raise RunnerError(self._explain(command[0], output, probe, image))

    def _explain(self, tool: str, output: str, probe: str | None, image: Image) -> str:
        log = image.build_dir / f"{self.name}.log"
        write_if_changed(log, output)
        if re.search(self.no_probe, output, re.I):
            which = f"no debug probe {probe}" if probe else "no debug probe"
            return f"{tool} finds {which}; plug in the board, or choose its probe (log: {log})"
        said = [line.strip() for line in output.splitlines() if _COMPLAINT.search(line)]
        why = (said or output.splitlines()[-1:] or ["it does not say why"])[0]
        return f"{tool} cannot write the image: {why} (log: {log})"

    def serve(self, command: list[str], image: Image, commands: tuple[str, ...]) -> Debugging:
        """What `debug` returns, for the server's command."""
        require(command[0], self.get)
        return Debugging(Process(command, image.build_dir), commands)


def require(tool: str, get: str) -> None:
    if shutil.which(tool) is None:
        raise ToolError(f"{tool} is not on PATH; try: {get}")


def _run(command: list[str], image: Image) -> str | None:
    """What a program that failed has said; None if it did not fail."""
    try:
        result = subprocess.run(
            command,
            cwd=image.build_dir,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=FLASH_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RunnerError(f"{command[0]} has not finished in {FLASH_TIMEOUT_S:g} s") from None
    return result.stdout.decode("utf-8", "replace") if result.returncode else None


def read_usb(settings: Settings) -> str:
    usb = settings.text("usb")
    if not serial_port.USB_ID.fullmatch(usb):
        raise settings.error("usb", f"must be vendor:product such as 0483:374b, not {usb!r}")
    return usb
