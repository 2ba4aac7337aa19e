"""Boards that only hardware can run: their images are built, and looked at without running them."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from conftest import BUILD
from cortorch.errors import RunnerError, ToolError
from cortorch.images import image
from cortorch.images.board import load_board
from cortorch.images.boot import crc32
from cortorch.images.image import Image
from cortorch.on_device.runners.cable import ToolRunner
from handmade import write
from testboards import real_boards

VECTORS = 16
RESET = 1

pytestmark = pytest.mark.parametrize("name", real_boards())


def build(name: str, compiler: str = "gcc", app: str = "demo") -> Image:
    folder = BUILD / "handmade" / f"real-{name}-{compiler}"
    return image.build(load_board(name), write(folder / "models"), app, folder, compiler=compiler)


def tool_runners(name: str) -> list[ToolRunner]:
    return [r for r in load_board(name).runners.values() if isinstance(r, ToolRunner)]


def words_at(elf: Path, address: int, count: int) -> tuple[int, ...]:
    """From what is written to flash."""
    with elf.open("rb") as file:
        for segment in ELFFile(file).iter_segments("PT_LOAD"):
            offset = address - segment["p_paddr"]
            if offset >= 0 and offset + 4 * count <= segment["p_filesz"]:
                return struct.unpack_from(f"<{count}I", segment.data(), offset)
    raise AssertionError(f"nothing is loaded to {address:#x}")


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_vector_table(name: str, compiler: str) -> None:
    built = build(name, compiler)
    board = built.board
    stack, *handlers = words_at(built.elf, board.memory("vectors").origin, VECTORS)
    assert stack in board.memory("stack")
    assert stack % 8 == 0
    assert all(handler & 1 for handler in handlers), "Thumb"
    assert all(handler in board.memory("code") for handler in handlers)
    with built.elf.open("rb") as file:
        assert handlers[0] == ELFFile(file)["e_entry"]


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_memories_are_respected(name: str, compiler: str) -> None:
    built = build(name, compiler)
    with built.elf.open("rb") as file:
        elf = ELFFile(file)
        for section in elf.iter_sections():
            if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_size"]:
                memory = next(m for m in built.board.memories if section["sh_addr"] in m)
                assert section["sh_addr"] + section["sh_size"] <= memory.end
                assert not section["sh_flags"] & SH_FLAGS.SHF_WRITE or "w" in memory.access
        for segment in elf.iter_segments("PT_LOAD"):
            if segment["p_filesz"]:
                memory = next(m for m in built.board.memories if segment["p_paddr"] in m)
                assert "w" not in memory.access, "what a reset needs is in flash"


def test_boot_header(name: str) -> None:
    """RP2350 Datasheet, 5.9: a block in the first 4 KB, which links to itself."""
    built = build(name)
    with built.elf.open("rb") as file:
        found = ELFFile(file).get_section_by_name(".symtab").get_symbol_by_name("ct_picobin")
    if found is None:
        pytest.skip("its boot ROM wants no header")
    origin = built.board.memory("vectors").origin
    assert origin < found[0]["st_value"] <= origin + 4096 - found[0]["st_size"]
    start, image_type, last, link, end = words_at(built.elf, found[0]["st_value"], 5)
    assert (start, end) == (0xFFFFDED3, 0xAB123579)
    assert image_type & 0xFF == 0x42, "IMAGE_TYPE"
    assert last & 0xFF == 0xFF, "LAST"
    assert last >> 8 & 0xFFFF == image_type >> 8 & 0xFF, "words of the items before"
    assert link == 0


def test_boot_code_has_its_crc(name: str) -> None:
    """RP2040 Datasheet, 2.8.1.3.1: the first 256 bytes, of which the last four are a CRC-32."""
    built = build(name)
    if built.board.boot is None:
        pytest.skip("its boot ROM wants no boot code")
    boot, vectors = built.board.boot, built.board.memory("vectors")
    assert boot.end == vectors.origin
    words = words_at(built.elf, boot.origin, boot.bytes // 4)
    assert words[0] != 0
    assert words[-1] == crc32(struct.pack(f"<{len(words) - 1}I", *words[:-1]))
    build(name)  # again: the CRC that is there is no reason to complain


def test_uses_the_board_s_own_start(name: str) -> None:
    """The weak ct_board_init, which does nothing, has given way."""
    with build(name).elf.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".symtab")
        (found,) = symbols.get_symbol_by_name("ct_board_init")
        assert found["st_info"]["bind"] == "STB_GLOBAL"


def test_no_tool(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    board = load_board(name)
    for runner in tool_runners(name):
        with pytest.raises(ToolError, match=r"is not on PATH; try: \w+"):
            runner.start(Image(board, tmp_path))


def test_no_board(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board = load_board(name)
    image = Image(board, tmp_path)
    for runner in tool_runners(name):
        tool = tmp_path / runner.command(image, None)[0]
        tool.write_text("#!/bin/sh\nexit 1\n")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    for runner in tool_runners(name):
        with pytest.raises(RunnerError, match=r"no serial port of a USB device .*; plug in"):
            runner.start(image)
