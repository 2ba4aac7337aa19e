"""`test`: models on a board, against the reference."""

from __future__ import annotations

import argparse
from pathlib import Path

from cortorch.commands import connection
from cortorch.commands.default_model import default_model

HELP = "check models on a board, bit by bit, against the reference"
DESCRIPTION = """Run models on a board, on the samples beside each .pte and on random inputs that
cover the whole range of its int8 tensors, and demand the outputs of the Python reference, bit for
bit. Where they differ, the first step that does is named. Without a model, the digits example is
trained first."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-b", "--board", metavar="NAME", help="see the command `boards`")
    parser.add_argument(
        "-m",
        "--model",
        dest="models",
        action="append",
        type=Path,
        default=[],
        metavar="FILE.pte",
        help="model to test (repeatable)",
    )
    parser.add_argument(
        "-n",
        "--count",
        type=int,
        default=10,
        metavar="N",
        help="random inputs, and at most as many samples (default: %(default)d)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="of the random inputs (default: %(default)d)"
    )
    connection.add_arguments(parser)


def run(arguments: argparse.Namespace) -> None:
    from cortorch.images.board import default_board
    from cortorch.on_device.conformance import check, inputs_for
    from cortorch.program import Program

    board = arguments.board or default_board()
    for path in arguments.models or [Path(default_model())]:
        program = Program.load(path)
        inputs = inputs_for(program, path, arguments.count, arguments.seed)
        cable = connection.chosen(arguments)
        print(check(program, inputs, board, arguments.runner, cable), flush=True)
