"""Boards behind a debug probe: a tool writes the image to flash, the UART is a serial port."""

from __future__ import annotations

import shutil
import subprocess
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cortorch.errors import RunnerError, ToolError
from cortorch.runners import serial_port
from cortorch.runners.base import TAIL_CHARACTERS, Runner
from cortorch.runners.serial_port import SerialSession
from cortorch.settings import Settings

if TYPE_CHECKING:
    from cortorch.image import Image

FLASH_TIMEOUT_S = 120.0


@dataclass(frozen=True)
class ProbeRunner(Runner):
    needs_hardware = True

    get: ClassVar[str]
    """How to get the tool, for the message when it is not there."""

    usb: str
    """`vendor:product` of the USB device whose serial port is the UART."""

    @abstractmethod
    def command(self, image: Image) -> list[str]:
        """Writes the image, checks it, and resets the board."""

    def start(self, image: Image, *, count: bool = False) -> SerialSession:
        self.refuse_counting(count)
        command = self.command(image)
        if shutil.which(command[0]) is None:
            raise ToolError(f"{command[0]} is not on PATH; try: {self.get}")
        session = SerialSession(image, serial_port.find(self.usb))
        try:
            _flash(command)
        except RunnerError:
            session.close()
            raise
        return session


def read_usb(settings: Settings) -> str:
    usb = settings.text("usb")
    if not serial_port.USB_ID.fullmatch(usb):
        raise settings.error("usb", f"must be vendor:product such as 0483:374b, not {usb!r}")
    return usb


def _flash(command: list[str]) -> None:
    try:
        result = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=FLASH_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RunnerError(f"{command[0]} has not finished in {FLASH_TIMEOUT_S:g} s") from None
    if result.returncode:
        output = result.stdout.decode("utf-8", "replace").strip()[-TAIL_CHARACTERS:]
        raise RunnerError(f"{command[0]} cannot flash the board; is its probe there?\n{output}")


@dataclass(frozen=True)
class OpenocdRunner(ProbeRunner):
    name = "openocd"
    get = "apt install openocd"

    scripts: tuple[str, ...]

    @classmethod
    def read(cls, settings: Settings) -> OpenocdRunner:
        return cls(read_usb(settings), tuple(settings.texts("scripts")))

    def command(self, image: Image) -> list[str]:
        scripts = [word for script in self.scripts for word in ("-f", script)]
        return ["openocd", *scripts, "-c", f"program {{{image.elf}}} verify reset exit"]


@dataclass(frozen=True)
class PyocdRunner(ProbeRunner):
    name = "pyocd"
    get = "pip install pyocd"

    target: str

    @classmethod
    def read(cls, settings: Settings) -> PyocdRunner:
        return cls(read_usb(settings), settings.text("target"))

    def command(self, image: Image) -> list[str]:
        return ["pyocd", "load", "--no-wait", "--target", self.target, str(image.elf)]
