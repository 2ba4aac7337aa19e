"""The J-Link on Nordic's boards, with Nordic's nRF Command Line Tools.

Source: nRF Command Line Tools documentation, "nrfjprog commands".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cortorch.images.settings import Settings
from cortorch.on_device.runners.cable import ToolRunner, read_usb

if TYPE_CHECKING:
    from cortorch.images.image import Image


@dataclass(frozen=True)
class NrfjprogRunner(ToolRunner):
    name = "nrfjprog"
    get = "nRF Command Line Tools of nordicsemi.com"
    no_probe = r"no debugger is connected|no emulator|there is no debugger"

    family: str

    @classmethod
    def read(cls, settings: Settings) -> NrfjprogRunner:
        return cls(read_usb(settings), settings.text("family"))

    def command(self, image: Image, probe: str | None) -> list[str]:
        serial = ["--snr", probe.lstrip("0")] if probe else []
        write = ["--program", str(image.hex), "--sectorerase", "--verify", "--reset"]
        return ["nrfjprog", "--family", self.family, *serial, *write]
