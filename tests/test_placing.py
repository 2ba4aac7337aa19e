"""Weights and arena in memories of one's choice."""

from __future__ import annotations

from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from conftest import BUILD
from cortorch.commands.build import places
from cortorch.errors import BoardError, BuildError, TooBigError
from cortorch.images import image
from cortorch.images.board import Board, default_board, load_board
from cortorch.images.image import Image
from handmade import write
from testboards import emulated_boards


def build(board: Board, arena_bytes: int = 48) -> Image:
    folder = BUILD / "handmade" / f"placed-{board.name}"
    baked = write(folder / "models", arena_bytes=arena_bytes)
    return image.build(board, baked, "demo", folder)


def section_address(elf: Path, name: str) -> int:
    with elf.open("rb") as file:
        return int(ELFFile(file).get_section_by_name(name)["sh_addr"])


def with_flash() -> str:
    """An emulated board whose RAM is empty when it starts, as on silicon, with room for weights."""
    boards = map(load_board, emulated_boards())
    real = [b for b in boards if "w" not in b.memory("code").access]
    return max(real, key=lambda board: board.memory("arena").bytes).name


def writable(board: Board) -> list[str]:
    return [memory.name for memory in board.memories if "w" in memory.access]


@pytest.mark.emulator
@pytest.mark.parametrize("name", [default_board(), with_flash()])
def test_weights_and_arena_move(name: str) -> None:
    """And the board computes the same: where RAM is empty at the start, weights were copied."""
    board = load_board(name)
    memory = next(m for m in board.memories if m.name == writable(board)[-1])
    built = build(board.placed({"weights": memory.name, "arena": memory.name}))
    assert section_address(built.elf, ".ct_weights") in memory
    assert section_address(built.elf, ".ct_arena") in memory
    with built.board.runner().start(built) as session:
        text = "".join(session.console(timeout=20))
    assert "on five: ok\r\n    top 0 of: 16\r\n" in text
    weights = [s for s in built.sizes.sections if s.section.startswith(".ct_weights")]
    assert built.board.copies_weights == (len(weights) == 2), "in flash, and in RAM"


def test_sizes_are_checked() -> None:
    board = load_board(default_board())
    small = min((m for m in board.memories if "w" in m.access), key=lambda m: m.bytes)
    with pytest.raises(TooBigError, match=rf"{small.name} .* too small"):
        build(board.placed({"arena": small.name}), arena_bytes=small.bytes + 16)


@pytest.mark.parametrize(
    ("role", "memory", "message"),
    [("arena", "nowhere", "has the roles .* and the memories"), ("heap", "", "has the roles")],
)
def test_mistakes(role: str, memory: str, message: str) -> None:
    with pytest.raises(BoardError, match=f"{role}={memory}: .*{message}"):
        load_board(default_board()).placed({role: memory})


def test_arena_in_flash() -> None:
    board = load_board(with_flash())
    flash = board.memory("code").name
    with pytest.raises(BoardError, match=rf"arena={flash}: the role needs 'w', but .* is 'rx'"):
        board.placed({"arena": flash})


def test_command_line() -> None:
    assert places("weights=a,arena=b") == {"weights": "a", "arena": "b"}
    assert places("") == {}
    with pytest.raises(BuildError, match="write ROLE=MEMORY"):
        places("weights")
