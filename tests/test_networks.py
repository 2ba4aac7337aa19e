"""Whole networks: the same bytes from the reference, the PC and every emulated board."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._pytree import tree_leaves

import cortorch
from cortorch.images.board import load_board
from cortorch.program import Program
from fitting import Fitting
from networks import SMALL, TRAINED, small, trained, trained_folder
from testboards import board_params

BUILD = Path(__file__).resolve().parent.parent / "build" / "tests" / "networks"
NAMES = (*SMALL, *TRAINED)
ABSENT = f"trained networks are not at {trained_folder()}; set CORTORCH_MODELS"
RUNS = 4

needs_trained = pytest.mark.skipif(not (trained_folder() / "models.py").is_file(), reason=ABSENT)


def names() -> list[Any]:
    return [*SMALL, *(pytest.param(name, marks=needs_trained) for name in TRAINED)]


class Networks:
    """Exported once in a session."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[Program, list[tuple[Any, ...]], torch.nn.Module]] = {}

    def __getitem__(self, name: str) -> tuple[Program, list[tuple[Any, ...]], torch.nn.Module]:
        if name not in self._made:
            found = small(name) if name in SMALL else trained(name)
            assert found is not None
            module, inputs = found
            program = cortorch.export(module, inputs[0], calibration=inputs, name=name)
            self._made[name] = program, inputs[:RUNS], module
        return self._made[name]

    def available(self) -> dict[str, Program]:
        return {
            n: self[n][0] for n in NAMES if n in SMALL or (trained_folder() / "models.py").is_file()
        }


@pytest.fixture(scope="module")
def networks() -> Networks:
    return Networks()


def references(program: Program, inputs: list[tuple[Any, ...]]) -> list[list[torch.Tensor]]:
    return [program.run_flat(list(x)) for x in inputs]


@pytest.mark.parametrize("name", names())
def test_host(name: str, networks: Networks) -> None:
    program, inputs, _ = networks[name]
    for x, expected in zip(inputs, references(program, inputs), strict=True):
        assert_same(program.run_flat(list(x), on="host"), expected)


@pytest.mark.parametrize("name", names())
def test_only_the_boundary_is_float(name: str, networks: Networks) -> None:
    program, _, _ = networks[name]
    ports = len(program.inputs) + len(program.outputs)
    floats = [
        c for c in program.static.calls if torch.float32 in {v.dtype for v in (*c.inputs(), c.out)}
    ]
    assert len(floats) == ports, [c.name for c in floats]


@pytest.mark.parametrize("name", names())
def test_close_to_float(name: str, networks: Networks) -> None:
    """Quantization costs accuracy, lowering must not: the signal stays well above the noise."""
    program, inputs, module = networks[name]
    with torch.no_grad():
        wanted = torch.cat([t.flatten() for x in inputs for t in tree_leaves(module(*x))])
    got = torch.cat([t.flatten() for x in inputs for t in tree_leaves(program.run(*x))])
    noise = (wanted - got).square().mean()
    assert 10 * torch.log10(wanted.square().mean() / noise) > 15


@pytest.fixture(scope="module", params=board_params())
def devices(request: pytest.FixtureRequest, networks: Networks) -> Iterator[Fitting]:
    board = load_board(request.param)
    models = {name: program.static for name, program in networks.available().items()}
    with Fitting(board, models, BUILD / board.name) as devices:
        yield devices


@pytest.mark.parametrize("name", names())
def test_board(name: str, devices: Fitting, networks: Networks) -> None:
    program, inputs, _ = networks[name]
    device = devices[name]
    for x, expected in zip(inputs, references(program, inputs), strict=True):
        results = device.run(name, [t.contiguous().numpy() for t in x])
        assert_same([torch.from_numpy(np.array(r)) for r in results], expected)


def assert_same(results: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    assert len(results) == len(expected)
    for got, wanted in zip(results, expected, strict=True):
        differing = int((got != wanted).sum())
        assert differing == 0, f"{differing} of {wanted.numel()} values differ"
