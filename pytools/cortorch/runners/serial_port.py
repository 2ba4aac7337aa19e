"""A board on a cable: its UART as a serial port of this PC."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import serial
from serial.tools import list_ports

from cortorch.errors import RunnerError
from cortorch.runners.base import Session

if TYPE_CHECKING:
    from cortorch.image import Image

WRITE_TIMEOUT_S = 60.0
USB_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}")


def find(usb: str) -> str:
    """The one serial port of a USB device with this `vendor:product`."""
    vendor, product = (int(text, 16) for text in usb.split(":"))
    found = [p.device for p in list_ports.comports() if (p.vid, p.pid) == (vendor, product)]
    if not found:
        raise RunnerError(f"no serial port of a USB device {usb} is there; plug in the board")
    if len(found) > 1:
        names = ", ".join(sorted(found))
        raise RunnerError(f"{len(found)} serial ports of USB devices {usb}: {names}; unplug others")
    return str(found[0])


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
