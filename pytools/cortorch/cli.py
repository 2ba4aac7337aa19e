"""`cortorch COMMAND`, for people without west; the commands are those of `west`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from cortorch.commands import COMMANDS, Command
from cortorch.errors import CorTorchError
from cortorch.quiet import quiet_imports


def execute(command: Command, arguments: argparse.Namespace) -> int:
    """Exit status: what the user can mend is one line on stderr, never a traceback."""
    try:
        with quiet_imports():
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


def main(argv: Sequence[str] | None = None) -> int:
    arguments = make_parser().parse_args(argv)
    return execute(arguments.command, arguments)


if __name__ == "__main__":
    sys.exit(main())
