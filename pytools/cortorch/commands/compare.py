"""`compare`: where two runs of a model part, step by step."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from cortorch.commands import connection
from cortorch.commands.run import add_inputs, read_tensors

if TYPE_CHECKING:
    from cortorch.on_device.compare import Difference

WEST_NAME = "compare-steps"  # west's own `compare` is about manifests
HELP = "find the first step of a model that differs on a board"
DESCRIPTION = """Run a model in two places, and compare what each step writes, bit by bit. The first
step that differs is named, with its kernel and both values, and both of its tensors are saved."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="FILE.pte")
    add_inputs(parser)
    parser.add_argument("--on", metavar="NAME", help="board, host or reference")
    parser.add_argument(
        "--against",
        default="reference",
        metavar="NAME",
        help="the same (default: %(default)s)",
    )
    connection.add_arguments(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="folder for the tensors that differ (default: the current one)",
    )


def run(arguments: argparse.Namespace) -> None:
    from cortorch.errors import DifferenceError
    from cortorch.images.board import default_board
    from cortorch.on_device.compare import compare
    from cortorch.program import Program

    program = Program.load(arguments.model)
    on = arguments.on or default_board()
    inputs = read_tensors(arguments.inputs)
    cable = connection.chosen(arguments)
    found = compare(program, inputs, on, arguments.against, arguments.runner, cable)
    if found is not None:
        files = save(found, program.name, arguments.output)
        raise DifferenceError(f"{found}\n  tensors: {', '.join(map(str, files))}")
    steps = len(program.static.calls)
    print(f"{program.name}: all {steps} steps are the same on {on} and on {arguments.against}")


def save(found: Difference, model: str, folder: Path) -> list[Path]:
    """One .npy for each place; the names say which model, step, node and place."""
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    node = re.sub(r"[^\w.]", "_", found.node)
    paths = [folder / f"{model}-{found.step}-{node}-{place}.npy" for place in found.places]
    for path, output in zip(paths, found.outputs, strict=True):
        np.save(path, output.tensor)
    return paths
