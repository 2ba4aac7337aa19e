"""Image files for programmers: what an ELF file loads, as Intel HEX, raw binary or UF2."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

HEX_RECORD_BYTES = 32
HEX_DATA, HEX_END, HEX_UPPER_ADDRESS, HEX_START = 0, 1, 4, 5

# UF2, "Universal flashing format": blocks of 512 bytes, of which 256 are data.
UF2_PAGE_BYTES = 256
UF2_BLOCK_BYTES = 512
UF2_MAGIC_START = (0x0A324655, 0x9E5D5157)
UF2_MAGIC_END = 0x0AB16F30
UF2_FAMILY_PRESENT = 0x2000


@dataclass(frozen=True)
class Segment:
    """Bytes that are written before the image starts."""

    address: int
    data: bytes

    @property
    def end(self) -> int:
        return self.address + len(self.data)


def segments(elf: Path) -> list[Segment]:
    """By address. Neighbours are one; nothing that only has a place in RAM is among them."""
    found: list[Segment] = []
    with elf.open("rb") as file:
        loads = [s for s in ELFFile(file).iter_segments("PT_LOAD") if s["p_filesz"]]
        for segment in sorted(loads, key=lambda s: s["p_paddr"]):
            new = Segment(segment["p_paddr"], segment.data())
            if found and found[-1].end == new.address:
                found[-1] = Segment(found[-1].address, found[-1].data + new.data)
            else:
                found.append(new)
    return found


def entry_point(elf: Path) -> int:
    with elf.open("rb") as file:
        return int(ELFFile(file)["e_entry"])


def flat(parts: Sequence[Segment]) -> Segment:
    """One segment from the first byte to the last; gaps are 0xFF, as erased flash."""
    data = bytearray()
    for part in parts:
        data += b"\xff" * (part.address - parts[0].address - len(data)) + part.data
    return Segment(parts[0].address, bytes(data))


def intel_hex(parts: Sequence[Segment], start: int) -> str:
    """Intel HEX with 32-bit addresses."""
    lines, upper = [], 0
    for address, data in _pieces(parts, HEX_RECORD_BYTES):
        if address >> 16 != upper:
            upper = address >> 16
            lines.append(_record(HEX_UPPER_ADDRESS, 0, struct.pack(">H", upper)))
        lines.append(_record(HEX_DATA, address & 0xFFFF, data))
    lines.append(_record(HEX_START, 0, struct.pack(">I", start)))
    lines.append(_record(HEX_END, 0, b""))
    return "".join(f"{line}\n" for line in lines)


def _pieces(parts: Sequence[Segment], size: int) -> Iterator[tuple[int, bytes]]:
    """At most `size` bytes each, none across a multiple of `size`."""
    for part in parts:
        address = part.address
        while address < part.end:
            end = min(part.end, address - address % size + size)
            yield address, part.data[address - part.address : end - part.address]
            address = end


def _record(kind: int, address: int, data: bytes) -> str:
    body = struct.pack(">BHB", len(data), address, kind) + data
    return ":" + (body + bytes([-sum(body) & 0xFF])).hex().upper()


def uf2(parts: Sequence[Segment], family: int) -> bytes:
    """UF2 for one family of chips; whole pages, since the boot ROM erases and writes such."""
    pages: dict[int, bytearray] = {}
    for address, data in _pieces(parts, UF2_PAGE_BYTES):
        at = address % UF2_PAGE_BYTES
        page = pages.setdefault(address - at, bytearray(UF2_PAGE_BYTES))
        page[at : at + len(data)] = data
    blocks = []
    for number, (address, page) in enumerate(pages.items()):
        head = (*UF2_MAGIC_START, UF2_FAMILY_PRESENT, address, UF2_PAGE_BYTES)
        block = struct.pack("<8I", *head, number, len(pages), family) + page
        blocks.append(block.ljust(UF2_BLOCK_BYTES - 4, b"\0") + struct.pack("<I", UF2_MAGIC_END))
    return b"".join(blocks)
