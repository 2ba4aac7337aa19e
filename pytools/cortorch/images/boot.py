"""The checksum that a boot ROM demands, written into an image once it is linked."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile

from cortorch.errors import BuildError

SECTION = ".ct_boot"
CRC_BYTES = 4
_POLYNOMIAL = 0x04C11DB7


def crc32(data: bytes) -> int:
    """CRC-32 that starts from ones, highest bit first, without a final inversion (known as
    CRC-32/MPEG-2)."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (_POLYNOMIAL if crc >> 31 else 0)) & 0xFFFFFFFF
    return crc


def write_crc(elf: Path) -> None:
    """Puts the CRC of the boot section into its last word, which the linker has left 0."""
    with elf.open("rb") as file:
        section = ELFFile(file).get_section_by_name(SECTION)
        if section is None:
            raise BuildError(f"{elf} has no section {SECTION}, whose CRC the board wants")
        offset, data = section["sh_offset"], section.data()
    content, present = data[:-CRC_BYTES], data[-CRC_BYTES:]
    crc = crc32(content).to_bytes(CRC_BYTES, "little")
    if present == crc:
        return
    if any(present):
        raise BuildError(f"{SECTION} is full: no room for its CRC in the last {CRC_BYTES} bytes")
    with elf.open("r+b") as file:
        file.seek(offset + len(content))
        file.write(crc)
