"""What one test of a suite did, as a file: pytest runs in other processes than the rest."""

from __future__ import annotations

import hashlib
import pickle
import re
from collections import Counter
from collections.abc import Sequence
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
class Graph:
    """A lowered graph that a test compares, but does not serialize."""

    operators: Counter[str]
    float_nodes: list[str]
    """As of a run."""


@dataclass
class Case:
    """One lowering and comparison: ``test`` of a suite, or ``test/number`` where a test of the
    shared suite makes several. ``outcome`` is pytest's word for what the reference gave."""

    name: str
    outcome: str = ""
    reason: str = ""
    runs: list[Run] = field(default_factory=list)
    graphs: list[Graph] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def test(self) -> str:
        """The test that the case is a part of."""
        return re.sub(r"/\d+$", "", self.name)

    @property
    def operators(self) -> Counter[str]:
        return sum((each.operators for each in (*self.runs, *self.graphs)), Counter())

    @property
    def float_nodes(self) -> list[str]:
        return [name for each in (*self.runs, *self.graphs) for name in each.float_nodes]


def write(folder: Path, test: str, cases: Sequence[Case]) -> None:
    """All cases of a test, at its end."""
    folder.mkdir(parents=True, exist_ok=True)
    with _path(folder, test).open("wb") as file:
        pickle.dump(list(cases), file)


def read_all(folder: Path) -> list[Case]:
    """By name. Our own files, of this run: pickles of strangers are not safe to read."""
    return sorted((c for p in folder.glob("*.pkl") for c in _read(p)), key=lambda c: c.name)


def is_good(folder: Path, test: str) -> bool:
    """Whether the test has a record in which nothing failed."""
    path = _path(folder, test)
    return path.exists() and all(c.outcome != "failed" for c in _read(path))


def _read(path: Path) -> list[Case]:
    with path.open("rb") as file:
        cases: list[Case] = pickle.load(file)
        return cases


def _path(folder: Path, test: str) -> Path:
    return folder / f"{hashlib.sha256(test.encode()).hexdigest()[:16]}.pkl"
