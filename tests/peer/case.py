"""What one test of a suite did, as a file: pytest runs in other processes than the rest."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torch

Tensors = list[torch.Tensor]


@dataclass
class Error:
    """Distance of an output from another one."""

    lsb: float | None
    """Largest, in steps of the output's scale; None if the output is not quantized."""
    sqnr_db: float


@dataclass
class Run:
    """One inference of one lowered program, and what it must give."""

    pte: bytes
    inputs: Tensors
    reference: Tensors
    """Outputs of the dialect's Python reference."""
    operators: Counter[str]
    float_nodes: list[str]
    """Calls on float32, the conversions of the program's inputs and outputs not counted."""
    expected: Tensors = field(default_factory=list)
    """What the suite compares with: outputs of the quantized PyTorch graph."""
    atol: float = 0.0
    rtol: float = 0.0
    error: Error | None = None
    """Of the reference against the float module."""


@dataclass
class Case:
    """One test function with its parameters. ``outcome`` is pytest's, on the reference."""

    name: str
    outcome: str = ""
    reason: str = ""
    runs: list[Run] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def operators(self) -> Counter[str]:
        return sum((run.operators for run in self.runs), Counter())

    @property
    def float_nodes(self) -> list[str]:
        return [name for run in self.runs for name in run.float_nodes]


def write(case: Case, directory: Path, index: int) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / f"{index:05}.pkl").open("wb") as file:
        pickle.dump(case, file)


def read_all(directory: Path) -> Iterator[Case]:
    """Our own files, of this run: pickles of strangers are not safe to read."""
    for path in sorted(directory.glob("*.pkl")):
        with path.open("rb") as file:
            yield pickle.load(file)
