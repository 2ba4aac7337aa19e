"""The commands of `cortorch.commands` as west's extension commands.

West loads this file by its path, with whatever Python west itself runs on. If that Python lacks
CorTorch's dependencies, the one in the checkout's .venv carries the command out.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from west.commands import WestCommand

ROOT = Path(__file__).resolve().parents[2]
VENV_PYTHON = ROOT / ".venv" / "bin" / "python"

# The workspace's own cortorch, not one that may be installed beside west.
sys.path[:0] = [str(ROOT / "pytools"), str(ROOT)]

from cortorch.cli import execute  # noqa: E402
from cortorch.commands import COMMANDS  # noqa: E402

HAS_DEPENDENCIES = all(find_spec(name) for name in ("torch", "elftools", "jinja2", "rich"))


class _Command(WestCommand):
    """The class has the command's name in `cortorch`."""

    def __init__(self) -> None:
        name = type(self).__name__.lower()
        self.command = next(command for command in COMMANDS if command.name == name)
        super().__init__(
            self.command.west_name,
            self.command.help,
            self.command.description,
            accepts_unknown_args=not HAS_DEPENDENCIES,
        )

    def do_add_parser(self, parser_adder: Any) -> argparse.ArgumentParser:
        parser = parser_adder.add_parser(
            self.name,
            help=self.help,
            description=self.description,
            # What another Python is to parse must reach it whole, --help included.
            add_help=HAS_DEPENDENCIES,
        )
        if HAS_DEPENDENCIES:
            self.command.add_arguments(parser)
        return parser

    def do_run(self, arguments: argparse.Namespace, unknown: list[str]) -> None:
        status = execute(self.command, arguments) if HAS_DEPENDENCIES else self.forward(unknown)
        if status:
            sys.exit(status)

    def forward(self, arguments: list[str]) -> int:
        if not VENV_PYTHON.exists():
            print(
                f"error: west runs on {sys.executable}, which lacks CorTorch's packages, and there"
                f" is no {VENV_PYTHON}: run `make setup` in {ROOT}, or use a west that is"
                " installed beside cortorch",
                file=sys.stderr,
            )
            return 1
        command = [str(VENV_PYTHON), "-m", "cortorch", self.command.name, *arguments]
        return subprocess.run(command, check=False).returncode


class Build(_Command):
    pass


class Flash(_Command):
    pass


class Run(_Command):
    pass


class Test(_Command):
    pass


class Compare(_Command):
    pass


class Profile(_Command):
    pass


class Debug(_Command):
    pass


class Attach(_Command):
    pass


class Bake(_Command):
    pass


class Report(_Command):
    pass


class Boards(_Command):
    pass


class Ops(_Command):
    pass


class Scaffold(_Command):
    pass
