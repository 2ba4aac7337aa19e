"""ST-LINK, with ST's STM32CubeProgrammer.

Source: STM32CubeProgrammer user manual (UM2237), "STM32CubeProgrammer command line interface".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cortorch.images.settings import Settings
from cortorch.on_device.runners.cable import ToolRunner, read_usb

if TYPE_CHECKING:
    from cortorch.images.image import Image


@dataclass(frozen=True)
class StlinkRunner(ToolRunner):
    name = "stlink"
    get = "STM32CubeProgrammer of st.com"
    no_probe = (
        r"no (debug )?probe detected|no st-?link (detected|connected)|st-link error \(dev_usb"
    )

    @classmethod
    def read(cls, settings: Settings) -> StlinkRunner:
        return cls(read_usb(settings))

    def command(self, image: Image, probe: str | None) -> list[str]:
        connect = ["port=SWD", "mode=UR", *((f"sn={probe}",) if probe else ())]
        return ["STM32_Programmer_CLI", "-c", *connect, "-w", str(image.hex), "-v", "-rst"]
