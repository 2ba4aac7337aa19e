"""`flash`: the built image on its board, with the board's console on stdout."""

from __future__ import annotations

import argparse

from cortorch.commands import connection, remembered
from cortorch.commands.build import add_build_dir, chosen_build_dir
from cortorch.errors import BuildError

HELP = "load the image into its board and show the console"
DESCRIPTION = """Load the image that `build` made into its board, or start it in the board's
emulator, and show the console until the program ends, or Ctrl-C is pressed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    connection.add_arguments(parser)
    parser.add_argument(
        "--timeout",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="give up when the console is silent for so long (default: %(default)g)",
    )
    add_build_dir(parser)


def run(arguments: argparse.Namespace) -> None:
    from cortorch.board import load_board
    from cortorch.image import existing

    build_dir = chosen_build_dir(arguments)
    built = remembered.load(build_dir)
    if built.board is None:
        raise BuildError(f"nothing is built in {build_dir}: `build` first, or name another with -d")
    board = load_board(built.board)
    runner, image = board.runner(arguments.runner), existing(board, build_dir)
    with runner.start(image, connection=connection.chosen(arguments)) as session:
        for text in session.console(arguments.timeout):
            print(text.replace("\r\n", "\n"), end="", flush=True)
