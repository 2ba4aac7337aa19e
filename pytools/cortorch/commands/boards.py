"""`boards`: what images can be built for, and how they run there."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cortorch.images.board import Board, Memory

HELP = "list the boards"
DESCRIPTION = """List the boards: CPU, instruction set of the kernels, memories, and runners, of
which the first is the one that `flash` takes by itself."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None: the table is small."""


def run(arguments: argparse.Namespace) -> None:
    from cortorch.commands.table import print_table
    from cortorch.images.board import list_boards, load_board

    columns = ("board", "CPU", "ISA", "memories", "runners", "what it is")
    print_table(columns, [row(load_board(name)) for name in list_boards()])


def row(board: Board) -> tuple[str, ...]:
    return (
        board.name,
        board.target.target_string,
        board.target.isa.name.lower(),
        ", ".join(memory_text(memory) for memory in board.memories),
        ", ".join(board.runners),
        board.description,
    )


def memory_text(memory: Memory) -> str:
    for unit, name in ((1 << 20, "M"), (1 << 10, "K")):
        if memory.bytes % unit == 0:
            return f"{memory.name} {memory.bytes // unit}{name}"
    return f"{memory.name} {memory.bytes}"
