"""`attach`: gdb on a board that runs the built image already."""

from __future__ import annotations

import argparse

from cortorch.commands import debug

HELP = "start gdb on a board as it runs"
DESCRIPTION = """Connect gdb to a board that runs the image that `build` made: nothing is loaded,
nothing is reset. Options behind `--` are gdb's own."""

add_arguments = debug.add_arguments


def run(arguments: argparse.Namespace) -> None:
    debug.start(arguments, attach=True)
