"""Who takes the bytes of an image: models, operators, firmware, C library; read from a map."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cortorch.errors import BuildError
from cortorch.paths import ops_dir

if TYPE_CHECKING:
    from cortorch.images.image import Image

_BEGIN = "Linker script and memory map"
# A section whose name is long has the rest on the next line.
_ENTRY = re.compile(r"^ (\.\S+|COMMON)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S.*)$", re.MULTILINE)
_MEMBER = re.compile(r"libcortorch\.a\((.+)\.c\.(?:obj|o)\)")
_NOT_LOADED = re.compile(r"\.debug|\.comment|\.ARM\.attributes|\.note")
_RAM = re.compile(r"\.bss|\.data|\.ct_noinit|\.ct_arena|COMMON")
_IN_FLASH_TOO = ".data"


@dataclass(frozen=True)
class Part:
    name: str
    flash_bytes: int
    ram_bytes: int


def parts(image: Image) -> list[Part]:
    """From the largest to the smallest; their sum leaves out gaps and tables of the linker."""
    flash: Counter[str] = Counter()
    ram: Counter[str] = Counter({"stack": image.board.stack_bytes})
    for section, size, file in _entries(image.build_dir / "cmake" / "image.map"):
        owner = "arena" if section == ".ct_arena" else _owner(file)
        is_ram = bool(_RAM.match(section))
        ram[owner] += size * is_ram
        flash[owner] += size * (not is_ram or section.startswith(_IN_FLASH_TOO))
    names = sorted(flash | ram, key=lambda name: (-flash[name] - ram[name], name))
    return [Part(name, flash[name], ram[name]) for name in names if flash[name] + ram[name]]


def _entries(path: Path) -> Iterator[tuple[str, int, str]]:
    """Input section, bytes, object file."""
    if not path.is_file():
        raise BuildError(f"there is no {path}, which says what is how large; build the image again")
    text = path.read_text(encoding="utf-8").partition(_BEGIN)[2]
    for section, size, file in _ENTRY.findall(text):
        if not _NOT_LOADED.match(section):
            yield section, int(size, 16), file


def _owner(file: str) -> str:
    if member := _MEMBER.search(file):
        folder = next(ops_dir().glob(f"*/{member[1]}.c"), Path("executor", "ct.c")).parent.name
        return "operators: common code" if folder == "support" else folder
    if "/baked/" in file:
        model = Path(file.partition(".c.")[0]).name
        return "samples and table of models" if model == "models" else f"model {model}"
    return "firmware" if "ct_image.dir" in file else "C library"
