"""What an image takes: the table that `build` ends with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cortorch.commands.table import print_table

if TYPE_CHECKING:
    from cortorch.images.image import Image


def show(image: Image) -> None:
    sections = image.sizes.sections
    print_table(
        ("section", "memory", "bytes"),
        [(section.section, section.memory, f"{section.bytes:,}") for section in sections],
        numbers=("bytes",),
    )
    for memory in image.board.memories:
        used = image.sizes.in_memory(memory.name)
        print(f"{memory.name}: {used:,} of {memory.bytes:,} bytes, {used / memory.bytes:.1%}")
    print(f"image: {shown(image.elf)}")


def show_parts(image: Image) -> None:
    """Who takes how much: models, operators, and the rest."""
    from cortorch.images.parts import parts

    print_table(
        ("part", "flash bytes", "RAM bytes"),
        [(part.name, f"{part.flash_bytes:,}", f"{part.ram_bytes:,}") for part in parts(image)],
        numbers=("flash bytes", "RAM bytes"),
    )


def shown(path: Path) -> Path:
    """Relative to where we are, if it is below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
