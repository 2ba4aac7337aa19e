"""A board on a cable: its UART as a serial port of this PC."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import serial
from serial.tools import list_ports

from cortorch.errors import RunnerError
from cortorch.images.settings import Settings
from cortorch.on_device.runners.base import ONLY_ONE, Connection, Runner, Session

if TYPE_CHECKING:
    from cortorch.images.image import Image

WRITE_TIMEOUT_S = 60.0
USB_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}")


@dataclass(frozen=True)
class Port:
    device: str
    serial_number: str | None
    """Of the USB device that it belongs to, which on most boards is the probe, too."""


def find(usb: str, connection: Connection = ONLY_ONE) -> Port:
    """The chosen serial port, or the only one of a USB device with this `vendor:product`."""
    ports = list_ports.comports()
    if connection.port:
        known = next((p.serial_number for p in ports if p.device == connection.port), None)
        return Port(connection.port, known)
    vendor, product = (int(text, 16) for text in usb.split(":"))
    found = [p for p in ports if (p.vid, p.pid) == (vendor, product)]
    if connection.probe and any(p.serial_number == connection.probe for p in found):
        found = [p for p in found if p.serial_number == connection.probe]
    if not found:
        raise RunnerError(
            f"no serial port of a USB device {usb} is there; plug in the board, or name the port"
            " with --port"
        )
    if len(found) > 1:
        names = ", ".join(sorted(f"{p.device} (id {p.serial_number})" for p in found))
        raise RunnerError(
            f"{len(found)} serial ports of USB devices {usb}: {names}; choose one with --port or"
            " --id"
        )
    return Port(str(found[0].device), found[0].serial_number)


@dataclass(frozen=True)
class SerialRunner(Runner):
    """The board runs the image already: nothing is written, it is only talked to."""

    name = "serial"
    needs_hardware = True
    writes = False

    @classmethod
    def read(cls, settings: Settings) -> SerialRunner:
        return cls()

    def _start(self, image: Image, count: bool, connection: Connection) -> SerialSession:
        if connection.port is None:
            raise RunnerError("the runner 'serial' must be told which port: --port PORT")
        return SerialSession(image, connection.port)


class SerialSession(Session):
    """Opened before the board starts, so that its first words are not lost."""

    def __init__(self, image: Image, port: str) -> None:
        super().__init__(image)
        self.port = port
        baud = image.board.uart.facts["baud"]
        try:
            self._serial = serial.Serial(port, baud, write_timeout=WRITE_TIMEOUT_S, exclusive=True)
        except OSError as error:
            raise RunnerError(f"cannot open the serial port {port}: {error}") from None

    def write(self, data: bytes) -> None:
        try:
            self._serial.write(data)
        except OSError as error:
            raise self._lost(error) from None

    def _receive(self, timeout: float) -> bytes:
        try:
            self._serial.timeout = timeout  # sets up the port anew, which fails once it is gone
            return bytes(self._serial.read(1) + self._serial.read(self._serial.in_waiting))
        except OSError as error:
            raise self._lost(error) from None

    def _lost(self, error: Exception) -> RunnerError:
        return RunnerError(f"the serial port {self.port} is lost: {error}" + self.tail())

    def close(self) -> None:
        self._serial.close()
