"""pyOCD: for CMSIS-DAP, ST-LINK and J-Link probes; installed by pip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cortorch.images.settings import Settings
from cortorch.on_device.runners.base import ONLY_ONE, Connection, Debugging
from cortorch.on_device.runners.cable import ToolRunner, read_usb

if TYPE_CHECKING:
    from cortorch.images.image import Image


@dataclass(frozen=True)
class PyocdRunner(ToolRunner):
    name = "pyocd"
    get = "pip install pyocd"
    no_probe = r"no (connected|available) debug probes|no target device available|no probe"

    target: str

    @classmethod
    def read(cls, settings: Settings) -> PyocdRunner:
        return cls(read_usb(settings), settings.text("target"))

    def command(self, image: Image, probe: str | None) -> list[str]:
        return ["pyocd", "load", *self._connect(probe), str(image.elf)]

    def debug(
        self, image: Image, port: int, connection: Connection = ONLY_ONE, *, attach: bool = False
    ) -> Debugging:
        mode = ["--connect", "attach" if attach else "halt"]
        command = ["pyocd", "gdbserver", *self._connect(connection.probe), *mode]
        commands = () if attach else ("monitor reset halt", "load", "monitor reset halt")
        return self.serve([*command, "--port", str(port)], image, commands)

    def _connect(self, probe: str | None) -> list[str]:
        return ["--no-wait", "--target", self.target, *(("--uid", probe) if probe else ())]
