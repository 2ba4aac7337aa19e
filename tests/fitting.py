"""Many programs on a board that may not hold all of them at once: as many images as it takes.

An image holds programs that follow one another, so that tests in their order boot each image once.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

import pytest

from cortorch.device import Device
from cortorch.errors import TooBigError
from cortorch.forms.ir import StaticProgram
from cortorch.forms.plan import plan
from cortorch.images import image
from cortorch.images.board import Board


class Fitting:
    """The board, running the image that has the program asked for. Use as a context manager."""

    def __init__(self, board: Board, programs: Mapping[str, StaticProgram], folder: Path) -> None:
        self.board = board
        self.folder = folder
        self.programs = programs
        self._refused: dict[str, str] = {}
        self._groups: list[list[str]] = [list(programs)]
        self._running: list[str] = []
        self._session = ExitStack()

    def __enter__(self) -> Fitting:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def __getitem__(self, name: str) -> Device:
        """A device with this program. A program that is too big for the board skips the test."""
        while name not in self._running:
            if name in self._refused:
                pytest.skip(self._refused[name])
            self._start(next(group for group in self._groups if name in group))
        return self._device

    def _start(self, group: list[str]) -> None:
        self._session.close()
        self._running = []
        try:
            built = self._build(group)
        except TooBigError as error:
            self._split(group, error)
            return
        session = self._session.enter_context(self.board.runner().start(built))
        self._device = Device(session)
        self._running = group

    def _build(self, names: list[str]) -> image.Image:
        programs = {name: self.programs[name] for name in names}
        return image.build(
            self.board, programs, "validate", self.folder, sanitize=self.board.is_host
        )

    def _split(self, group: list[str], error: TooBigError) -> None:
        """Takes out what no image can hold; if there is nothing of the kind, halves the group."""
        fitting = [name for name in group if self._needs[name] <= self._room]
        if len(group) == 1:
            self._refused[group[0]] = str(error)
            parts = []
        elif len(fitting) < len(group):
            self._refused |= {name: self._refusal(name) for name in set(group) - set(fitting)}
            parts = [fitting]
        else:
            middle = len(group) // 2
            parts = [group[:middle], group[middle:]]
        at = self._groups.index(group)
        self._groups[at : at + 1] = parts

    def _refusal(self, name: str) -> str:
        need, room = self._needs[name], self._room
        return f"{name} needs an arena of {need:,} bytes; {self.board.name} has room for {room:,}"

    @cached_property
    def _needs(self) -> dict[str, int]:
        """Bytes of each program's arena."""
        isa = self.board.target.isa
        return {name: plan(program, isa).arena_bytes for name, program in self.programs.items()}

    @cached_property
    def _room(self) -> int:
        """Bytes of arena that an image can have: those of the smallest one, and what it leaves."""
        smallest = min(self.programs, key=lambda name: self._needs[name])
        memory = self.board.memory("arena")
        used = self._build([smallest]).sizes.in_memory(memory.name)
        return memory.bytes - used + self._needs[smallest]
