"""Files beside an image's ELF file that programmers, boot ROMs and drives take."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from cortorch.files import write_if_changed
from cortorch.images import formats
from cortorch.images.formats import Segment
from cortorch.on_device.runners.drive import Uf2Runner

if TYPE_CHECKING:
    from cortorch.images.image import Image


def write(image: Image) -> None:
    """image.hex; image.bin, or one image-<memory>.bin for each memory that is written; image.uf2
    where the board takes such."""
    parts = formats.segments(image.elf)
    write_if_changed(image.hex, formats.intel_hex(parts, formats.entry_point(image.elf)))
    binaries = _by_memory(image, parts)
    for memory, inside in binaries.items():
        name = "image.bin" if len(binaries) == 1 else f"image-{memory}.bin"
        write_if_changed(image.build_dir / name, formats.flat(inside).data)
    for runner in image.board.runners.values():
        if isinstance(runner, Uf2Runner):
            write_if_changed(image.build_dir / "image.uf2", formats.uf2(parts, runner.family))


def _by_memory(image: Image, parts: list[Segment]) -> dict[str, list[Segment]]:
    found: dict[str, list[Segment]] = defaultdict(list)
    for part in parts:
        memory = next(m for m in image.board.memories if part.address in m)
        found[memory.name].append(part)
    return found
