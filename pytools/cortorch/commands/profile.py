"""`profile`: what each step of a model costs on a board."""

from __future__ import annotations

import argparse
from pathlib import Path

from cortorch.commands.run import add_inputs, read_tensors

HELP = "show what each step of a model costs on a board"
DESCRIPTION = """Run a model once, check its outputs, and show what each step cost: instructions,
counted exactly by the emulator, and an estimate of the cycles; on a real board the cycles that its
core counts. Without inputs, random ones serve: costs hardly depend on them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="FILE.pte")
    add_inputs(parser)
    parser.add_argument("--on", metavar="BOARD", help="see the command `boards`")
    parser.add_argument("-r", "--runner", metavar="NAME", help="default: the board's first runner")
    parser.add_argument("--json", action="store_true", help="for programs, not people")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with bars, too")


def run(arguments: argparse.Namespace) -> None:
    from cortorch.images.board import default_board
    from cortorch.measure import profile_views
    from cortorch.measure.profiling import profile
    from cortorch.program import Program

    program = Program.load(arguments.model)
    inputs = read_tensors(arguments.inputs) if arguments.inputs else None
    found = profile(program, arguments.on or default_board(), inputs, arguments.runner)
    if arguments.html:
        arguments.html.write_text(profile_views.html(found), encoding="utf-8")
    if arguments.json:
        print(profile_views.json_text(found))
    else:
        profile_views.show(found)
