"""Options that choose a runner, and one of several boards on this PC."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cortorch.on_device.runners import Connection


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-r",
        "--runner",
        metavar="NAME",
        help="default: the board's first one; `serial` only talks to a board that runs the image",
    )
    parser.add_argument("--port", metavar="PORT", help="serial port of the board's UART")
    parser.add_argument(
        "--id", metavar="PROBE", help="serial number of its debug probe, or folder of its drive"
    )


def chosen(arguments: argparse.Namespace) -> Connection:
    from cortorch.on_device.runners import Connection

    return Connection(arguments.port, arguments.id)
