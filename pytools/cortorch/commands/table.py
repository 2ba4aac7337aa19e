"""Tables for people and pipes: no frames, no colour that a file would keep."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

# A pipe has no width; wide enough that nothing is cut or folded there.
PIPE_COLUMNS = 200


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[str] = ()
) -> None:
    """`numbers`: the columns to be aligned right."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in numbers else "left")
    for row in rows:
        table.add_row(*row)
    width = None if sys.stdout.isatty() else PIPE_COLUMNS
    Console(width=width, highlight=False, markup=False).print(table)
