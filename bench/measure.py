"""Counts the inferences of programs on emulated boards, and checks every output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from cortorch.device import Device
from cortorch.forms.bake import model_name
from cortorch.forms.ir import StaticProgram
from cortorch.images import image
from cortorch.images.board import Board

BUILD = Path(__file__).resolve().parent.parent / "build" / "bench"


@dataclass(frozen=True)
class Inference:
    """A program, inputs for it, and what must come out."""

    name: str
    program: StaticProgram
    inputs: Sequence[torch.Tensor]
    outputs: Sequence[torch.Tensor]

    @classmethod
    def of(cls, name: str, program: StaticProgram, inputs: Sequence[torch.Tensor]) -> Inference:
        return cls(name, program, inputs, program.run_reference(*inputs))

    @property
    def macs(self) -> int:
        return sum(call.op.macs(call.bound()) for call in self.program.calls)


@dataclass(frozen=True)
class Measurement:
    insns: int
    macs: int
    mismatches: int
    """Output values that are not those of the reference."""


def measure(
    board: Board, inferences: Sequence[Inference], compiler: str | None = None
) -> dict[str, Measurement]:
    """One inference each, of one image that holds all of them.

    Raises:
        TooBigError: they do not fit the board.
    """
    programs = {model_name(inference.name): inference.program for inference in inferences}
    folder = BUILD / f"{board.name}-{compiler or 'default'}"
    built = image.build(board, programs, "validate", folder, compiler=compiler)
    with board.runner(counting_runner(board)).start(built, count=True) as session:
        device = Device(session)
        counter = session.counter
        assert counter is not None
        measured = {}
        for inference in inferences:
            arrays = [x.contiguous().numpy() for x in inference.inputs]
            results = device.run(model_name(inference.name), arrays)
            (run,) = counter.runs()
            wrong = mismatches(results, inference.outputs)
            measured[inference.name] = Measurement(run.total_insns, inference.macs, wrong)
    return measured


def counting_runner(board: Board) -> str | None:
    """Name of the runner that counts instructions, if the board has one."""
    return next((name for name, runner in board.runners.items() if runner.counts), None)


def mismatches(results: Sequence[np.ndarray], wanted: Sequence[torch.Tensor]) -> int:
    """Values that differ in any bit."""
    return sum(
        int((_rows(a) != _rows(b.contiguous().numpy())).any(axis=1).sum())
        for a, b in zip(results, wanted, strict=True)
    )


def _rows(array: np.ndarray) -> np.ndarray:
    """Bytes of each value."""
    return np.frombuffer(array.tobytes(), np.uint8).reshape(array.size, array.itemsize)
