"""Runs recorded programs as baked C on a board: dozens of them in one image, and one boot for all.

A batch that does not build, or does not fit, is halved until the program to blame is alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import torch

from cortorch.device import Device
from cortorch.errors import CorTorchError
from cortorch.forms import pte
from cortorch.forms.ir import StaticProgram
from cortorch.images import image
from cortorch.images.board import Board
from peer.case import Run, Tensors

PROGRAMS_PER_IMAGE = 32
RUN_TIMEOUT_S = 900.0


@dataclass
class Result:
    """What a board gave for one run: outputs, or why there are none."""

    outputs: Tensors = field(default_factory=list)
    error: str = ""


def execute(
    runs: Sequence[Run], board: Board, folder: Path, progress: Callable[[int], None]
) -> list[Result]:
    """One result a run, in their order. ``progress`` is told how many runs a batch has done."""
    names = [f"p{hashlib.sha256(run.pte).hexdigest()[:12]}" for run in runs]
    programs = {name: pte.read(run.pte) for name, run in zip(names, runs, strict=True)}
    results: dict[int, Result] = {}
    distinct = list(programs)
    for start in range(0, len(distinct), PROGRAMS_PER_IMAGE):
        batch = {name: programs[name] for name in distinct[start : start + PROGRAMS_PER_IMAGE]}
        mine = {i: runs[i] for i, name in enumerate(names) if name in batch}
        results |= _execute(batch, mine, names, _Boards(board, folder))
        progress(len(mine))
    return [results[i] for i in range(len(runs))]


@dataclass(frozen=True)
class _Boards:
    """Builds and boots images of one board, all in one folder: the library is compiled once."""

    board: Board
    folder: Path

    def build(self, programs: Mapping[str, StaticProgram]) -> image.Image:
        return image.build(
            self.board,
            programs,
            "validate",
            self.folder / self.board.name,
            sanitize=self.board.is_host,
        )


def _execute(
    programs: Mapping[str, StaticProgram],
    runs: Mapping[int, Run],
    names: Sequence[str],
    boards: _Boards,
) -> dict[int, Result]:
    try:
        built = boards.build(programs)
    except CorTorchError as error:
        if len(programs) == 1:
            return {i: Result(error=str(error)) for i in runs}
        halves = list(programs)[: len(programs) // 2], list(programs)[len(programs) // 2 :]
        results: dict[int, Result] = {}
        for half in halves:
            mine = {i: run for i, run in runs.items() if names[i] in half}
            results |= _execute({n: programs[n] for n in half}, mine, names, boards)
        return results
    return _boot(built, runs, names)


def _boot(built: image.Image, runs: Mapping[int, Run], names: Sequence[str]) -> dict[int, Result]:
    """Boots again after a run that the board did not survive."""
    results: dict[int, Result] = {}
    left = dict(runs)
    while left:
        with ExitStack() as stack:
            try:
                session = stack.enter_context(built.board.runner().start(built))
                device = Device(session, run_timeout_s=RUN_TIMEOUT_S)
            except CorTorchError as error:
                return results | {i: Result(error=str(error)) for i in left}
            for index in list(left):
                run = left.pop(index)
                try:
                    outputs = device.run(names[index], [x.numpy() for x in run.inputs])
                except CorTorchError as error:
                    results[index] = Result(error=str(error))
                    break
                results[index] = Result([torch.from_numpy(y.copy()) for y in outputs])
    return results
