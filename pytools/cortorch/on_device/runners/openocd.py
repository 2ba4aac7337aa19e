"""OpenOCD: free, and knows most probes and chips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cortorch.images.settings import Settings
from cortorch.on_device.runners.base import ONLY_ONE, Connection, Debugging
from cortorch.on_device.runners.cable import ToolRunner, read_usb

if TYPE_CHECKING:
    from cortorch.images.image import Image


@dataclass(frozen=True)
class OpenocdRunner(ToolRunner):
    name = "openocd"
    get = "apt install openocd"
    no_probe = r"unable to find a matching|open failed|no device found|no j-link device"

    scripts: tuple[str, ...]
    transport: str
    """Chosen between the first script, of the probe, and the others; empty if a script does it."""

    @classmethod
    def read(cls, settings: Settings) -> OpenocdRunner:
        scripts = tuple(settings.texts("scripts"))
        if not scripts:
            raise settings.error("scripts", "must name at least one of OpenOCD's scripts")
        return cls(read_usb(settings), scripts, settings.text("transport", ""))

    def command(self, image: Image, probe: str | None) -> list[str]:
        program = f"program {{{image.elf}}} verify reset exit"
        return [*self._connect(probe), "-c", program]

    def debug(
        self, image: Image, port: int, connection: Connection = ONLY_ONE, *, attach: bool = False
    ) -> Debugging:
        ports = f"gdb_port {port}; tcl_port disabled; telnet_port disabled"
        command = [*self._connect(connection.probe), "-c", ports]
        commands = () if attach else ("monitor reset halt", "load", "monitor reset halt")
        return self.serve(command, image, commands)

    def _connect(self, probe: str | None) -> list[str]:
        transport = ("-c", f"transport select {self.transport}") if self.transport else ()
        interface, *rest = self.scripts
        scripts = ["-f", interface, *transport, *(w for script in rest for w in ("-f", script))]
        serial = ["-c", f"adapter serial {probe}"] if probe else []
        return ["openocd", *scripts, *serial]
