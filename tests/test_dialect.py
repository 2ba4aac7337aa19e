"""Every small module is int8 throughout, near its float self, and the same on every board."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._pytree import tree_leaves

from cortorch.device import Device
from cortorch.forms.host import HostLibrary
from cortorch.forms.ir import StaticProgram
from cortorch.images import image
from cortorch.images.board import list_boards, load_board
from dialect_modules import MODULES
from dialect_programs import assert_same, expected, exported, tensors

BUILD = Path(__file__).resolve().parent.parent / "build" / "tests" / "dialect"
BOUNDARY = ("quantize_per_tensor", "dequantize_per_tensor")

by_name = pytest.mark.parametrize("name", MODULES)


@by_name
def test_only_the_boundary_is_float(name: str) -> None:
    floats = [
        call.name
        for call in exported(name).static.calls
        if call.op.name not in BOUNDARY
        and torch.float32 in {v.dtype for v in (*call.inputs(), call.out)}
    ]
    assert floats == []


@by_name
def test_near_the_float_module(name: str) -> None:
    make, inputs = MODULES[name]
    torch.manual_seed(0)
    with torch.no_grad():
        wanted = tree_leaves(make().eval()(*inputs))
    for got, real in zip(expected(name), wanted, strict=True):
        assert (got.shape, got.dtype) == (real.shape, real.dtype)
        noise = (got.double() - real.double()).square().sum()
        assert noise == 0 or 10 * torch.log10(real.double().square().sum() / noise) > 24


def programs() -> dict[str, StaticProgram]:
    return {exported(name).name: exported(name).static for name in MODULES}


@pytest.fixture(scope="module")
def host() -> HostLibrary:
    return HostLibrary(programs(), BUILD / "library")


@by_name
def test_host(name: str, host: HostLibrary) -> None:
    assert_same(host.models[exported(name).name].run(*tensors(name)), expected(name))


def boards() -> list[Any]:
    return [
        pytest.param(name, marks=[] if load_board(name).is_host else [pytest.mark.emulator])
        for name in list_boards()
        if load_board(name).is_host or load_board(name).default
    ]


@pytest.fixture(scope="module", params=boards())
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    board = load_board(request.param)
    built = image.build(board, programs(), "validate", BUILD / board.name, sanitize=board.is_host)
    with board.runner().start(built) as session:
        yield Device(session)


@by_name
def test_board(name: str, device: Device) -> None:
    inputs = [x.contiguous().numpy() for x in tensors(name)]
    results = device.run(exported(name).name, inputs)
    assert_same([torch.from_numpy(np.array(r)) for r in results], expected(name))
