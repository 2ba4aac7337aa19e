"""Files for programmers say the same as the ELF file that they are made from."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

import pytest

from conftest import BUILD
from cortorch.images import formats, image
from cortorch.images.board import default_board, load_board
from cortorch.images.boot import crc32
from cortorch.images.formats import Segment
from cortorch.images.image import Image
from cortorch.on_device.runners import Connection
from cortorch.on_device.runners.drive import DriveRunner, Mps3Runner, Uf2Runner
from handmade import write
from testboards import real_boards

DEVICES = [default_board(), *real_boards()]


def build(name: str) -> Image:
    """In the folders of other tests: what differs is looked at, not built."""
    board = load_board(name)
    folder = BUILD / "handmade" / f"{'real-' * board.needs_hardware}{name}-gcc"
    return image.build(board, write(folder / "models"), "demo", folder, compiler="gcc")


def read_hex(text: str) -> dict[int, int]:
    """Byte by address, as a programmer reads it: every record has a right checksum."""
    found: dict[int, int] = {}
    upper = 0
    for line in text.splitlines():
        record = bytes.fromhex(line.removeprefix(":"))
        assert sum(record) & 0xFF == 0
        count, address, kind = struct.unpack_from(">BHB", record)
        data = record[4:-1]
        assert len(data) == count
        if kind == formats.HEX_UPPER_ADDRESS:
            upper = int.from_bytes(data, "big") << 16
        elif kind == formats.HEX_DATA:
            found |= {upper + address + i: byte for i, byte in enumerate(data)}
    assert line == ":00000001FF"
    return found


def content(parts: list[Segment]) -> dict[int, int]:
    return {part.address + i: byte for part in parts for i, byte in enumerate(part.data)}


@pytest.mark.parametrize("name", DEVICES)
def test_hex_and_bin(name: str) -> None:
    built = build(name)
    parts = formats.segments(built.elf)
    assert read_hex(built.hex.read_text()) == content(parts)
    binaries = list(built.build_dir.glob("image*.bin"))
    assert binaries
    for path in binaries:
        inside = [
            part
            for part in parts
            for memory in built.board.memories
            if part.address in memory and path.name in ("image.bin", f"image-{memory.name}.bin")
        ]
        assert path.read_bytes() == formats.flat(inside).data


def test_objcopy_agrees(tmp_path: Path) -> None:
    built = build(DEVICES[-1])
    theirs = tmp_path / "theirs.hex"
    command = ["arm-none-eabi-objcopy", "-O", "ihex", str(built.elf), str(theirs)]
    subprocess.run(command, check=True)
    sections, ours = read_hex(theirs.read_text()), read_hex(built.hex.read_text())
    assert {address: ours.pop(address) for address in sections} == sections
    assert set(ours.values()) <= {0}, "gaps between sections, which objcopy leaves out"


def drive_runners() -> list[tuple[str, str]]:
    boards = [load_board(name) for name in DEVICES]
    return [(b.name, n) for b in boards for n, r in b.runners.items() if isinstance(r, DriveRunner)]


@pytest.mark.parametrize(("name", "runner_name"), drive_runners())
def test_drive_gets_the_image(name: str, runner_name: str, tmp_path: Path) -> None:
    built, (_, near) = build(name), os.openpty()
    port = os.ttyname(near)
    runner = built.board.runner(runner_name)
    runner.start(built, connection=Connection(port, str(tmp_path))).close()
    wanted = content(formats.segments(built.elf))
    if isinstance(runner, Uf2Runner):
        found = read_uf2((tmp_path / "image.uf2").read_bytes(), runner.family)
        assert (tmp_path / "image.uf2").read_bytes() == (built.build_dir / "image.uf2").read_bytes()
    else:
        assert isinstance(runner, Mps3Runner)
        found = read_list(tmp_path, runner, built)
    assert {address: found[address] for address in wanted} == wanted


def read_uf2(data: bytes, family: int) -> dict[int, int]:
    found: dict[int, int] = {}
    count = len(data) // 512
    for number in range(count):
        block = data[512 * number : 512 * (number + 1)]
        first, second, flags, address, size, index, blocks, tag = struct.unpack_from("<8I", block)
        assert (first, second) == (0x0A324655, 0x9E5D5157)
        assert block[-4:] == struct.pack("<I", 0x0AB16F30)
        assert (flags, size, index, blocks, tag) == (0x2000, 256, number, count, family)
        assert address % 256 == 0
        found |= {address + i: byte for i, byte in enumerate(block[32 : 32 + size])}
    return found


def read_list(drive: Path, runner: Mps3Runner, built: Image) -> dict[int, int]:
    """The bytes at the core's addresses, as the board's controller would load them."""
    lines = (drive / runner.list_file).read_text().splitlines()
    values = dict(line.split(": ") for line in lines if ": " in line)
    found: dict[int, int] = {}
    for number in range(int(values["TOTALIMAGES"])):
        address = int(values[f"IMAGE{number}ADDRESS"].replace("_", ""), 16)
        path = drive / values[f"IMAGE{number}FILE"].replace("\\", "/").lstrip("/")
        assert len(path.stem) <= 8
        memory = next(
            m
            for m in built.board.memories
            if m.name in runner.addresses and 0 <= address - runner.addresses[m.name] < m.bytes
        )
        start = memory.origin + address - runner.addresses[memory.name]
        found |= {start + i: byte for i, byte in enumerate(path.read_bytes())}
    return found


def test_uf2_pages_are_whole() -> None:
    parts = [Segment(0x100000F0, b"a" * 32), Segment(0x10000180, b"b")]
    data = formats.uf2(parts, 7)
    assert len(data) == 1024
    found = read_uf2(data, 7)
    assert len(found) == 512
    assert found[0x10000180] == ord("b")


def test_crc() -> None:
    """The check value of CRC-32/MPEG-2 in the catalogues of CRCs."""
    assert crc32(b"123456789") == 0x0376E6E7
