"""`run`: one inference, on a board or on this PC."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cortorch.commands import connection
from cortorch.errors import CorTorchError

if TYPE_CHECKING:
    import numpy as np
    import torch

HELP = "run a model once on a board, and print or save its outputs"
DESCRIPTION = """Run a model once, on inputs from .npy files. The same outputs, to the last bit,
come from every board, from `host` (the baked C on this PC) and from `reference` (in Python)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="FILE.pte")
    add_inputs(parser)
    parser.add_argument("--on", metavar="NAME", help="board, host or reference")
    connection.add_arguments(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE.npz", help="save the outputs, by name"
    )


def add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-i",
        "--input",
        dest="inputs",
        action="append",
        type=Path,
        default=[],
        metavar="FILE.npy",
        help="one for each input of the model, in order",
    )


def run(arguments: argparse.Namespace) -> None:
    import numpy as np

    from cortorch.images.board import default_board
    from cortorch.program import Program

    program = Program.load(arguments.model)
    inputs = read_tensors(arguments.inputs)
    outputs = program.run(
        *inputs,
        on=arguments.on or default_board(),
        runner=arguments.runner,
        connection=connection.chosen(arguments),
    )
    arrays = {port.name: y.numpy() for port, y in zip(program.outputs, outputs, strict=True)}
    if arguments.output:
        np.savez(arguments.output, **arrays)
        return
    for name, array in arrays.items():
        print(f"{name} {array.dtype} {list(array.shape)}\n{array}")


def read_tensors(paths: Sequence[Path]) -> list[torch.Tensor]:
    import torch

    return [torch.from_numpy(read_array(path)) for path in paths]


def read_array(path: Path) -> np.ndarray:
    import numpy as np

    try:
        return np.load(path)
    except (OSError, ValueError, EOFError) as error:
        raise CorTorchError(f"{path} cannot be read as a .npy file: {error}") from error
