"""Images on every board: they boot, their sizes add up, what does not fit or crashes says so."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import BUILD
from cortorch.errors import BuildError, RunnerError, TooBigError, ToolError
from cortorch.images import image
from cortorch.images.board import Board, default_board, load_board
from cortorch.images.image import Image
from cortorch.on_device import fault
from cortorch.target import CortexMTargetConfig
from handmade import write
from testboards import boards_of_this_pc, emulated_boards

DEVICES = emulated_boards()
RECURSION = """
__attribute__((noinline, unused)) static int32_t deeper(int32_t n)
{
    volatile int32_t frame[64];
    frame[n % 64] = n;
    return n < 100000 ? deeper(n + 1) + frame[n % 64] : 0;
}
"""
CRASHES = {
    "divide": ("z = y / (y - 16);", "integer division by zero, at 0x"),
    "wild-load": ("z = *(volatile int32_t *)0xE8000000;", "access to 0xe8000000, where nothing is"),
    "undefined": ('__asm__ volatile("udf #0");', "undefined instruction"),
    "recursion": ("z = deeper(y);", "the stack has overflowed"),
    "wild-stack": ('__asm__ volatile("mov sp, %0" :: "r"(0xE0000000)); __asm__("udf #0");', ""),
}
IN_STEP = "in model toy, step 1 of 2: bad_1, toy_bad"


def build(board: Board, name: str, compiler: str | None = None, **model: object) -> Image:
    baked = write(BUILD / "handmade" / name, **model)  # type: ignore[arg-type]
    folder = BUILD / "handmade" / f"{board.name}-{compiler or 'default'}"
    return image.build(board, baked, "demo", folder, compiler=compiler)


def console(built: Image) -> str:
    with built.board.runner().start(built) as session:
        return "".join(session.console(timeout=20))


def compilers() -> list[object]:
    marks = {True: [], False: [pytest.mark.emulator]}
    boards = [(name, load_board(name).is_host) for name in boards_of_this_pc()]
    return [pytest.param(b, c, marks=marks[h]) for b, h in boards for c in ("clang", "gcc")]


@pytest.mark.parametrize(("name", "compiler"), compilers())
def test_demo(name: str, compiler: str) -> None:
    text = console(build(load_board(name), "good", compiler))
    assert "on five: ok\r\n    top 0 of: 16\r\n" in text
    assert text.endswith("done\r\n")


def has_fault_status(board: Board) -> bool:
    return isinstance(board.target, CortexMTargetConfig) and board.target.cpu.core.mainline


@pytest.mark.emulator
@pytest.mark.parametrize("crash", CRASHES)
@pytest.mark.parametrize("name", DEVICES)
def test_crash(name: str, crash: str) -> None:
    kernel, cause = CRASHES[crash]
    board = load_board(name)
    if not has_fault_status(board) and crash == "divide":
        pytest.skip("Armv6-M divides in software, which returns 0")
    if not has_fault_status(board) and crash in ("wild-load", "undefined"):
        cause = "HardFault: no cause is recorded, at 0x"
    built = build(board, crash, kernel=kernel, helpers=RECURSION)
    with pytest.raises(RunnerError, match="the program crashed: ") as caught:
        console(built)
    assert cause in str(caught.value)
    assert str(caught.value).endswith(IN_STEP)


@pytest.mark.parametrize("name", DEVICES)
def test_sizes(name: str) -> None:
    board = load_board(name)
    small, large = (build(board, "sizes", filler=n).sizes for n in (4, 1004))
    stack = [s for s in small.sections if s.section == ".ct_stack"]
    assert [s.bytes for s in stack] == [board.stack_bytes]
    assert large.flash_bytes - small.flash_bytes == 4000
    assert large.ram_bytes == small.ram_bytes
    assert sum(small.in_memory(m.name) for m in board.memories) == (
        small.flash_bytes + small.ram_bytes
    )


@pytest.mark.parametrize("name", DEVICES)
def test_initialized_data_counts_twice(name: str) -> None:
    board = load_board(name)
    plain = build(board, "data").sizes
    state = "static volatile int32_t state[25] = {7};"
    more = build(board, "data", helpers=state, kernel="z = state[0];").sizes
    kinds = {(s.section, s.is_loaded, s.bytes) for s in more.sections} - {
        (s.section, s.is_loaded, s.bytes) for s in plain.sections
    }
    assert (".data", False, 100) in kinds
    assert (".data (initial values)", True, 100) in kinds


def shrunk(board: Board, role: str, size: int) -> Board:
    """The board, but for one memory."""
    small = [replace(m, bytes=size) if role in m.roles else m for m in board.memories]
    return replace(board, name=f"small-{role}", memories=tuple(small))


@pytest.mark.parametrize(
    ("role", "part"), [("weights", "4,016 bytes  constants"), ("arena", "4,016 bytes  arena")]
)
@pytest.mark.parametrize("name", DEVICES)
def test_too_big(name: str, role: str, part: str) -> None:
    board = load_board(name)
    model = {"filler": 1000, "arena_bytes": 4000}
    memory = board.memory(role).name
    size = build(board, "fits", **model).sizes.in_memory(memory) - 16
    with pytest.raises(TooBigError) as caught:
        build(shrunk(board, role, size), "too-big", **model)
    text = str(caught.value)
    # Gaps between sections count for the linker only.
    assert re.search(rf"{memory} \({size:,} bytes\) is \d\d bytes too small\n", text)
    assert part in text


def test_compile_error_is_shown() -> None:
    with pytest.raises(BuildError, match="unknown type name 'nonsense'"):
        build(load_board(default_board()), "wrong", helpers="nonsense")


def test_unknown_app(tmp_path: Path) -> None:
    board = load_board(default_board())
    with pytest.raises(BuildError, match="'nonesuch' is neither an app \\(demo, "):
        image.build(board, tmp_path, "nonesuch", tmp_path)


def test_nothing_built(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"no image in .*; build one first"):
        image.existing(load_board(default_board()), tmp_path)


def test_missing_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match="apt install gcc-arm-none-eabi"):
        build(load_board(default_board()), "good")


def test_second_build_compiles_nothing() -> None:
    board = load_board(default_board())
    first = build(board, "good").elf.stat().st_mtime_ns
    assert build(board, "good").elf.stat().st_mtime_ns == first


def test_compiler_can_be_exchanged() -> None:
    board = load_board(default_board())
    baked = write(BUILD / "handmade" / "good")
    folder = BUILD / "handmade" / "exchanged"
    sizes = [
        image.build(board, baked, "demo", folder, compiler=c).sizes.flash_bytes
        for c in ("clang", "gcc")
    ]
    assert sizes[0] != sizes[1]


def test_fault_report() -> None:
    report = "fault: exception 5 pc=0x10 lr=0x21 cfsr=0x00008200 bfar=0x44\r\nfault: in model m\r\n"
    found = fault.find("noise" + report)
    assert found is not None
    assert found.causes() == ["access to 0x00000044, where nothing is"]
    assert found.step == "in model m"
    assert fault.find("all is well") is None
