"""`flash`: the built image on its board, with the board's console on stdout."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cortorch.commands import connection, remembered
from cortorch.commands.build import add_build_dir, chosen_build_dir
from cortorch.errors import BuildError

if TYPE_CHECKING:
    from cortorch.images.image import Image
    from cortorch.on_device.runners import Connection

TIMEOUT_S = 60.0

HELP = "load the image into its board and show the console"
DESCRIPTION = """Load the image that `build` made into its board, or start it in the board's
emulator, and show the console until the program ends, or Ctrl-C is pressed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    connection.add_arguments(parser)
    parser.add_argument(
        "--timeout",
        type=float,
        default=TIMEOUT_S,
        metavar="SECONDS",
        help="give up when the console is silent for so long (default: %(default)g)",
    )
    add_build_dir(parser)


def run(arguments: argparse.Namespace) -> None:
    image = built_image(chosen_build_dir(arguments))
    cable = connection.chosen(arguments)
    show_console(image, arguments.timeout, arguments.runner, cable)


def built_image(build_dir: Path) -> Image:
    """What `build` left in the folder."""
    from cortorch.images.board import load_board
    from cortorch.images.image import existing

    built = remembered.load(build_dir)
    if built.board is None:
        raise BuildError(f"nothing is built in {build_dir}: `build` first, or name another with -d")
    return existing(load_board(built.board), build_dir)


def show_console(
    image: Image, timeout: float, runner: str | None = None, cable: Connection | None = None
) -> None:
    from cortorch.on_device.runners import Connection

    chosen = image.board.runner(runner)
    with chosen.start(image, connection=cable or Connection()) as session:
        for text in session.console(timeout):
            print(text.replace("\r\n", "\n"), end="", flush=True)
