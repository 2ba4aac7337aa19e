"""SEGGER J-Link, with SEGGER's own software.

Source: J-Link User Guide (UM08001), "J-Link Commander", "Command line options".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cortorch.files import write_if_changed
from cortorch.images.settings import Settings
from cortorch.on_device.runners.base import ONLY_ONE, Connection, Debugging
from cortorch.on_device.runners.cable import ToolRunner, read_usb

if TYPE_CHECKING:
    from cortorch.images.image import Image

SPEED_KHZ = "4000"


@dataclass(frozen=True)
class JlinkRunner(ToolRunner):
    name = "jlink"
    get = "the J-Link software of segger.com"
    no_probe = r"cannot connect to (the )?j-link|no emulators connected|failed to open dll"

    device: str
    """SEGGER's name of the chip."""

    @classmethod
    def read(cls, settings: Settings) -> JlinkRunner:
        return cls(read_usb(settings), settings.text("device"))

    def command(self, image: Image, probe: str | None) -> list[str]:
        options = ["-NoGui", "1", "-ExitOnError", "1", "-AutoConnect", "1"]
        script = ["-CommandFile", str(image.build_dir / "image.jlink")]
        return ["JLinkExe", *options, *self._connect(probe), *script]

    def write(self, image: Image, probe: str | None) -> None:
        script = f"r\nloadfile {image.hex}\nr\ng\nexit\n"
        write_if_changed(image.build_dir / "image.jlink", script)
        super().write(image, probe)

    def _connect(self, probe: str | None) -> list[str]:
        # USB descriptors pad the serial number with zeros, which the programs do not take.
        serial = ["-SelectEmuBySN", probe.lstrip("0")] if probe else []
        return [*self._chip(), *serial]

    def _chip(self) -> list[str]:
        return ["-Device", self.device, "-If", "SWD", "-Speed", SPEED_KHZ]

    def debug(
        self, image: Image, port: int, connection: Connection = ONLY_ONE, *, attach: bool = False
    ) -> Debugging:
        probe = connection.probe
        select = ["-Select", f"usb={probe.lstrip('0')}"] if probe else []
        mode = ["-NoReset", "-NoIR"] if attach else []
        options = ["-NoGui", "-SingleRun", "-LocalhostOnly", "1", "-Port", str(port)]
        command = ["JLinkGDBServerCLExe", *self._chip(), *select, *mode, *options]
        return self.serve(
            command, image, () if attach else ("monitor reset", "load", "monitor reset")
        )
