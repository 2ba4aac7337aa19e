"""Every kernel equals its operator's reference, bit for bit: on the PC and on every emulated
board."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from cortorch.forms.bake import BakeOptions, model_name
from cortorch.forms.host import HostLibrary, HostModel
from cortorch.images.board import load_board
from fitting import Fitting
from operator_cases import OperatorCase, accepted, same_bytes
from testboards import board_params

BUILD = Path(__file__).resolve().parent.parent / "build" / "tests"
CASES = accepted()
GUARD_BYTES = 32
PATTERN = 0xA5

by_id = pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)


def expected(case: OperatorCase) -> torch.Tensor:
    program, inputs = case.program()
    return program.run_reference(*inputs)[0].contiguous()


@pytest.fixture(scope="module")
def library() -> dict[str, HostModel]:
    programs = {c.id: c.program()[0] for c in CASES}
    options = BakeOptions(guard_bytes=GUARD_BYTES)
    return HostLibrary(programs, BUILD / "kernels" / "guarded", options).models


@by_id
def test_writes_only_its_own_buffers(case: OperatorCase, library: dict[str, HostModel]) -> None:
    model = library[model_name(case.id)]
    _, inputs = case.program()
    model.arena[:] = PATTERN
    result = model.run(*inputs)[0]
    assert same_bytes(result, expected(case))
    used = np.zeros(model.arena.size, bool)
    for buffer in model.plan.buffers:
        used[buffer.offset : buffer.end] = True
    assert np.all(model.arena[~used] == PATTERN), "bytes between the buffers were written"


@pytest.fixture(scope="module", params=board_params())
def devices(request: pytest.FixtureRequest) -> Iterator[Fitting]:
    board = load_board(request.param)
    programs = {c.id: c.program()[0] for c in CASES}
    with Fitting(board, programs, BUILD / "kernels" / board.name) as devices:
        yield devices


@by_id
def test_bit_exact(case: OperatorCase, devices: Fitting) -> None:
    _, inputs = case.program()
    device = devices[case.id]
    result = device.run(model_name(case.id), [x.contiguous().numpy() for x in inputs])[0]
    assert same_bytes(torch.from_numpy(result.copy()), expected(case))
