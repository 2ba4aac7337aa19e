"""The commands of `cortorch` and of `west`: defined once, with argparse, which both use.

Modules here import nothing but the standard library before they run, so that any Python can show
their help, and west can start with a Python that has no torch.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from types import ModuleType

from cortorch.commands import (
    attach,
    bake,
    boards,
    build,
    compare,
    debug,
    flash,
    ops,
    profile,
    report,
    run,
    scaffold,
    test,
)


@dataclass(frozen=True)
class Command:
    """A module with HELP, DESCRIPTION, `add_arguments(parser)` and `run(arguments)`."""

    name: str
    module: ModuleType

    @property
    def west_name(self) -> str:
        """Another one where west has a command of that name."""
        return str(getattr(self.module, "WEST_NAME", self.name))

    @property
    def help(self) -> str:
        return str(self.module.HELP)

    @property
    def description(self) -> str:
        return str(self.module.DESCRIPTION)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        self.module.add_arguments(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        self.module.run(arguments)


MODULES = (
    *(build, flash, run, test, compare, profile),
    *(debug, attach, bake, report, boards),
    *(ops, scaffold),
)
COMMANDS = tuple(Command(module.__name__.rpartition(".")[2], module) for module in MODULES)
