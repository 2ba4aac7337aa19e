"""`report`: what a model costs on a target, step by step, before anything is built."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "show each step of a model: kernel, MACs, bytes"
DESCRIPTION = """Show each step of a model as it will run: node, operator, kernel, output, multiply-
accumulates, and bytes in flash and in the arena."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="FILE.pte")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("-b", "--board", metavar="NAME", help="take this board's CPU")
    where.add_argument("--target", metavar="CPU", help="such as cortex-m4, or host")
    parser.add_argument("--json", action="store_true", help="for programs, not people")


def run(arguments: argparse.Namespace) -> None:
    from cortorch.program import Program

    report = Program.load(arguments.model, chosen_target(arguments)).report
    print(report.json() if arguments.json else report)


def chosen_target(arguments: argparse.Namespace) -> str:
    from cortorch.images.board import default_board, load_board

    if arguments.target:
        return str(arguments.target)
    return load_board(arguments.board or default_board()).target.target_string
