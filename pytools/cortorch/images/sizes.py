"""Where the bytes of an image go, read from its ELF file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Symbol, SymbolTableSection

from cortorch.errors import BuildError
from cortorch.images.board import Board, Memory

_OVERFLOW = re.compile(r"region `(\S+)' overflowed by (\d+) bytes")


@dataclass(frozen=True)
class SectionSize:
    section: str
    memory: str
    bytes: int
    is_loaded: bool
    """Its content is in the image: flash; else it is RAM that holds nothing yet."""


@dataclass(frozen=True)
class Sizes:
    sections: tuple[SectionSize, ...]
    """In the order of the image. Initialized data is there twice: its values, and their place."""

    def in_memory(self, memory: str) -> int:
        return sum(s.bytes for s in self.sections if s.memory == memory)

    @property
    def flash_bytes(self) -> int:
        return sum(s.bytes for s in self.sections if s.is_loaded)

    @property
    def ram_bytes(self) -> int:
        return sum(s.bytes for s in self.sections if not s.is_loaded)


def sizes(elf: Path, board: Board) -> Sizes:
    with elf.open("rb") as file:
        return Sizes(tuple(_sections(ELFFile(file), board)))


def _sections(elf: ELFFile, board: Board) -> Iterator[SectionSize]:
    for section in elf.iter_sections():
        if not section["sh_flags"] & SH_FLAGS.SHF_ALLOC or section["sh_size"] == 0:
            continue
        name, size = section.name, section["sh_size"]
        run_in = _memory_at(board, section["sh_addr"])
        is_loaded = section["sh_type"] != "SHT_NOBITS"
        load_in = _memory_at(board, _load_address(elf, section["sh_addr"]))
        if is_loaded and (section["sh_flags"] & SH_FLAGS.SHF_WRITE or load_in != run_in):
            yield SectionSize(f"{name} (initial values)", load_in, size, True)
            is_loaded = False
        yield SectionSize(name, run_in, size, is_loaded)


def _memory_at(board: Board, address: int) -> str:
    return next((m.name for m in board.memories if address in m), board.name)


def _load_address(elf: ELFFile, address: int) -> int:
    for segment in elf.iter_segments("PT_LOAD"):
        offset = address - segment["p_vaddr"]
        if 0 <= offset < segment["p_filesz"]:
            return int(segment["p_paddr"] + offset)
    return address


def overflows(linker_output: str, board: Board) -> dict[str, int]:
    """Bytes by which memories are too small, by name; none if linking failed for another reason."""
    known = {memory.name for memory in board.memories}
    found = {name: int(size) for name, size in _OVERFLOW.findall(linker_output)}
    return {name: size for name, size in found.items() if name in known}


def function_addresses(elf: Path, names: Sequence[str]) -> dict[str, int]:
    """Address of each function's first instruction. GCC may have added a suffix to a static one."""
    found = {}
    with elf.open("rb") as file:
        for symbol in _symbols(ELFFile(file)):
            name = symbol.name.partition(".")[0]
            if name in names and symbol["st_info"]["type"] == "STT_FUNC":
                found[name] = symbol["st_value"] & ~1  # bit 0 says Thumb
    if missing := set(names) - set(found):
        raise BuildError(f"{elf}: no function {', '.join(sorted(missing))} in its symbol table")
    return found


def contributors(elf: Path, memory: Memory) -> dict[str, int]:
    """Bytes of each function and object from the memory's first byte on, even beyond its end."""
    found: Counter[str] = Counter()
    with elf.open("rb") as file:
        image = ELFFile(file)
        inside = {
            index
            for index, section in enumerate(image.iter_sections())
            if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_addr"] in memory
        }
        for symbol in _symbols(image):
            if symbol["st_shndx"] in inside and symbol["st_size"]:
                found[symbol.name] += symbol["st_size"]
    return dict(found)


def _symbols(elf: ELFFile) -> Iterator[Symbol]:
    table = elf.get_section_by_name(".symtab")
    return table.iter_symbols() if isinstance(table, SymbolTableSection) else iter(())
