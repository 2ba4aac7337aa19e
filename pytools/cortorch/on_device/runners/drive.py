"""Boards that show themselves as a USB drive: the image is a file that is copied there."""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cortorch.errors import RunnerError
from cortorch.images import formats
from cortorch.images.settings import Settings
from cortorch.on_device.runners.base import Connection
from cortorch.on_device.runners.cable import CableRunner, read_usb
from cortorch.on_device.runners.serial_port import SerialSession

if TYPE_CHECKING:
    from cortorch.images.board import Memory
    from cortorch.images.image import Image

MOUNTS = Path("/proc/mounts")


def drives(volume: str) -> list[Path]:
    """Mounted drives of that name: a desktop mounts a drive in a folder that has its name."""
    lines = MOUNTS.read_text(encoding="utf-8").splitlines() if MOUNTS.exists() else []
    mounts = [Path(_unescaped(line.split()[1])) for line in lines]
    folders = [*mounts, *Path("/Volumes").glob("*")]  # the latter on macOS
    return sorted({path for path in folders if path.name == volume})


def _unescaped(path: str) -> str:
    """Blanks and the like are octal numbers in the kernel's table."""
    return re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), path)


class DriveRunner(CableRunner):
    volume: str
    """Name of the drive."""
    appear: str
    """What makes the drive appear."""

    def _start(self, image: Image, count: bool, connection: Connection) -> SerialSession:
        """The probe is a drive here: it has nothing to do with the serial port's own number."""
        drive = self.drive(connection.probe)
        return super()._start(image, count, Connection(connection.port, str(drive)))

    def drive(self, chosen: str | None) -> Path:
        if chosen:
            if not Path(chosen).is_dir():
                raise RunnerError(f"there is no drive {chosen}; {self.appear}")
            return Path(chosen)
        found = drives(self.volume)
        if not found:
            raise RunnerError(f"no drive {self.volume} is mounted; {self.appear}")
        if len(found) > 1:
            names = ", ".join(map(str, found))
            raise RunnerError(f"{len(found)} drives {self.volume}: {names}; choose one with --id")
        return found[0]

    def check(self, image: Image) -> None:
        """The drive was looked for before."""

    def write(self, image: Image, probe: str | None) -> None:
        assert probe is not None
        try:
            for name, data in self.files(image).items():
                _write(Path(probe, name), data)
        except OSError as error:
            raise RunnerError(f"cannot write to the drive {probe}: {error.strerror}") from None

    @abstractmethod
    def files(self, image: Image) -> dict[str, bytes]:
        """What is written, by path on the drive, in this order."""


def _write(path: Path, data: bytes) -> None:
    """All of it has reached the board when this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@dataclass(frozen=True)
class Uf2Runner(DriveRunner):
    """The boot ROM's drive takes a UF2 file, and starts it."""

    name = "uf2"
    appear = "hold the button BOOTSEL while you plug in the board, and mount the drive"

    volume: str
    family: int
    """Number of the chip's family; boot ROMs ignore files of another one."""

    @classmethod
    def read(cls, settings: Settings) -> Uf2Runner:
        return cls(read_usb(settings), settings.text("volume"), settings.number("family"))

    def files(self, image: Image) -> dict[str, bytes]:
        return {"image.uf2": formats.uf2(formats.segments(image.elf), self.family)}


@dataclass(frozen=True)
class Mps3Runner(DriveRunner):
    """Arm's MPS3: its configuration controller reads a list of binaries from its drive.

    Source: MPS3 Technical Reference Manual (100765), "Configuration files".
    """

    name = "mps3"
    appear = "connect the board's debug USB port, and mount the drive"

    volume: str
    list_file: str
    """Path of the FPGA image's list of binaries."""
    addresses: dict[str, int]
    """Where the controller sees the memories, by name."""

    @classmethod
    def read(cls, settings: Settings) -> Mps3Runner:
        usb, volume, listed = read_usb(settings), settings.text("volume"), settings.text("list")
        section = settings.section("addresses")
        addresses = {name: section.number(name) for name in section}
        return cls(usb, volume, listed, addresses)

    def files(self, image: Image) -> dict[str, bytes]:
        files, lines = {}, []
        for number, part in enumerate(formats.segments(image.elf)):
            memory = next(m for m in image.board.memories if part.address in m)
            name = f"CT{number}.BIN"  # 8.3
            files[f"SOFTWARE/{name}"] = part.data
            lines += self._entry(number, self._address(memory, part.address), name)
        text = "\r\n".join(
            ["TITLE: CorTorch", "[IMAGES]", f"TOTALIMAGES: {len(files)}", *lines, ""]
        )
        # The controller loads the list anew when this file appears.
        return {**files, self.list_file: text.encode(), "REBOOT.TXT": b""}

    def _address(self, memory: Memory, address: int) -> int:
        if memory.name not in self.addresses:
            raise RunnerError(
                f"the runner 'mps3' does not know where the controller sees '{memory.name}'"
            )
        return self.addresses[memory.name] + address - memory.origin

    def _entry(self, number: int, address: int, name: str) -> list[str]:
        text = f"{address:012x}"
        return [
            f"IMAGE{number}PORT: 1",
            f"IMAGE{number}ADDRESS: 0x{text[:4]}_{text[4:8]}_{text[8:]}",
            f"IMAGE{number}UPDATE: RAM",
            f"IMAGE{number}FILE: \\SOFTWARE\\{name}",
        ]
