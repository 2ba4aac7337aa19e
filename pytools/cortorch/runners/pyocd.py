"""pyOCD: for CMSIS-DAP, ST-LINK and J-Link probes; installed by pip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cortorch.runners.cable import ToolRunner, read_usb
from cortorch.settings import Settings

if TYPE_CHECKING:
    from cortorch.image import Image


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

    def _connect(self, probe: str | None) -> list[str]:
        return ["--no-wait", "--target", self.target, *(("--uid", probe) if probe else ())]
