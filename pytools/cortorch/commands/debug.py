"""`debug`: the built image under gdb, from its first instruction."""

from __future__ import annotations

import argparse

from cortorch.commands import connection
from cortorch.commands.build import add_build_dir, chosen_build_dir
from cortorch.commands.flash import built_image
from cortorch.errors import RunnerError

HELP = "load the image into its board, halt, and start gdb"
DESCRIPTION = """Load the image that `build` made into its board, or start it in the board's
emulator, halted before its first instruction, and connect gdb. An emulated board's console appears
among gdb's lines. Options behind `--` are gdb's own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    connection.add_arguments(parser)
    add_build_dir(parser)
    parser.add_argument("gdb", nargs="*", metavar="GDB_OPTION", help="after `--`: options of gdb")


def run(arguments: argparse.Namespace) -> None:
    start(arguments, attach=False)


def start(arguments: argparse.Namespace, attach: bool) -> None:
    from cortorch.on_device.debugger import debug

    image = built_image(chosen_build_dir(arguments))
    runner = image.board.runner(arguments.runner)
    cable = connection.chosen(arguments)
    status = debug(image, runner, cable, attach=attach, arguments=arguments.gdb)
    if status:
        raise RunnerError(f"gdb has ended with exit status {status}")
