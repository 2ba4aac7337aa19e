"""`cortorch COMMAND`, for people without west; the commands are those of `west`."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

from cortorch.commands import COMMANDS, Command
from cortorch.errors import CorTorchError


def execute(command: Command, arguments: argparse.Namespace) -> int:
    """Exit status: what the user can mend is one line on stderr, never a traceback."""
    try:
        command.run(arguments)
    except CorTorchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cortorch",
        description="From a PyTorch model to a verified firmware image for Arm Cortex-M.",
    )
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        subparser = subparsers.add_parser(
            command.name, help=command.help, description=command.description
        )
        command.add_arguments(subparser)
        subparser.set_defaults(command=command)
    return parser


def silence_imports() -> None:
    """Drops what torch and torchao log while they are loaded, about parts that we do not use."""
    for name in ("torchao", "torch.utils._pytree"):
        logging.getLogger(name).setLevel(logging.ERROR)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = make_parser().parse_args(argv)
    silence_imports()
    return execute(arguments.command, arguments)


if __name__ == "__main__":
    sys.exit(main())
