"""One .pte for every core: ours, and one that ExecuTorch's own Cortex-M backend made.

`data/make_upstream.py` made the latter, for a core with Helium: the biases of its fully connected
layers are folded for that one. What it must compute is what that backend's Python operators did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from executorch.exir import schema
from executorch.exir._serialize._program import (
    PTEFile,
    deserialize_pte_binary,
    serialize_pte_binary,
)
from torch import nn

import cortorch
from cortorch.device import Device
from cortorch.errors import PteError
from cortorch.forms import pte
from cortorch.images import image
from cortorch.images.board import load_board
from cortorch.program import Program
from testboards import board_params

ROOT = Path(__file__).resolve().parent.parent
UPSTREAM = ROOT / "tests" / "data" / "upstream.pte"
BUILD = ROOT / "build" / "tests" / "one-program"
NAMES = ("own", "upstream")


@cache
def program(name: str) -> Program:
    if name == "upstream":
        return Program.load(UPSTREAM)
    torch.manual_seed(0)
    x = torch.randn(8, 1, 3, 12, 12)
    module = nn.Sequential(
        *(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU6(), nn.Conv2d(8, 8, 3, 1, 1, groups=8), nn.Sigmoid()),
        *(nn.AvgPool2d(2), nn.ConvTranspose2d(8, 4, 2, 2), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Linear(36, 12), nn.ReLU(), nn.Linear(12, 5), nn.Softmax(-1)),
    )
    return cortorch.export(module, (x[0],), calibration=[(sample,) for sample in x], name="own")


def sample() -> tuple[torch.Tensor, torch.Tensor]:
    """An input, and what the program of upstream must make of it."""
    with np.load(UPSTREAM.with_suffix(".npz")) as arrays:
        return torch.from_numpy(arrays["x"]), torch.from_numpy(arrays["y"])


def expected(name: str) -> torch.Tensor:
    x, y = sample()
    return y if name == "upstream" else program(name).run(x)


@pytest.mark.parametrize("on", ["reference", "host", "executorch"])
@pytest.mark.parametrize("name", NAMES)
def test_here(name: str, on: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTORCH_BUILD_DIR", str(BUILD))
    result = program(name).run(sample()[0], on=on)
    assert torch.equal(result[0] if name == "upstream" else result, expected(name))


@pytest.fixture(scope="module", params=board_params())
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    board = load_board(request.param)
    files = {name: program(name).save(BUILD / f"{name}.pte") for name in NAMES}
    built = image.build(board, files, "validate", BUILD / board.name)
    with board.runner().start(built) as session:
        yield Device(session)


@pytest.mark.parametrize("name", NAMES)
def test_board(name: str, device: Device) -> None:
    inputs = [x.numpy() for x in program(name).as_ports([sample()[0]])]
    (result,) = device.run(name, inputs)
    assert torch.equal(torch.from_numpy(np.array(result)), expected(name))


Change = Callable[[schema.ExecutionPlan], None]


def calls(plan: schema.ExecutionPlan) -> Iterator[tuple[str, list[int]]]:
    for instruction in plan.chains[0].instructions:
        if isinstance(instruction.instr_args, schema.KernelCall):
            call = instruction.instr_args
            yield plan.operators[call.op_index].name, call.args


def image_by_rows(plan: schema.ExecutionPlan) -> None:
    """What the first operator makes is contiguous, which the second one cannot use."""
    _, args = next(calls(plan))
    plan.values[args[-1]].val.dim_order = [0, 1, 2, 3]


def strange_order(plan: schema.ExecutionPlan) -> None:
    _, args = next(calls(plan))
    for index in (args[0], args[-1]):
        plan.values[index].val.dim_order = [0, 3, 2, 1]


def no_order(plan: schema.ExecutionPlan) -> None:
    plan.values[plan.inputs[0]].val.dim_order = [0, 2, 2, 1]


def clone_of_another_size(plan: schema.ExecutionPlan) -> None:
    args = next(args for name, args in calls(plan) if name == pte.CLONE_OPERATOR)
    plan.values[args[-1]].val.sizes = [1, 4, 9, 1]


def view_of_channels_last(plan: schema.ExecutionPlan) -> None:
    args = next(args for name, args in calls(plan) if name == pte.CLONE_OPERATOR)
    plan.values[args[-1]].val.dim_order = [0, 2, 3, 1]


def clone_without_arguments(plan: schema.ExecutionPlan) -> None:
    args = next(args for name, args in calls(plan) if name == pte.CLONE_OPERATOR)
    del args[2:]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (image_by_rows, r"stored in dim order \[0, [12], [23], [13]\] where the operator needs"),
        (strange_order, "stored in dim order"),
        (no_order, r"has dim order \[0, 2, 2, 1\] for 4 dimensions"),
        (clone_of_another_size, r"clone of \[1, 4, 3, 3\] as \[1, 4, 9, 1\]"),
        (view_of_channels_last, r"view of a tensor that is stored in dim order \[0, 2, 3, 1\]"),
        (clone_without_arguments, "a clone with 2 arguments"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_refused(change: Change, text: str) -> None:
    read = deserialize_pte_binary(UPSTREAM.read_bytes()).program
    change(read.execution_plan[0])
    with pytest.raises(PteError, match=text):
        pte.read(bytes(serialize_pte_binary(PTEFile(read))))
