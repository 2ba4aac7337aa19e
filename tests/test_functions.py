"""One PyTorch function at a time: its int8 form is within one step of the float one.

Both get the same int8 values over their whole range, so that only the operator's own rounding is
seen; outputs beyond the calibrated range saturate.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import cortorch
from cortorch.forms.host import HostLibrary
from cortorch.program import Program
from operator_cases import same_bytes

BUILD = Path(__file__).resolve().parent.parent / "build" / "tests" / "functions"
SAMPLES = 4

Shape = tuple[int, ...]


def exact(layer: Any) -> Any:
    """The layer with weights that int8 represents exactly: steps of 2**-7, up to 127 of them."""
    g = torch.Generator().manual_seed(2)
    steps = torch.randint(-127, 128, layer.weight.shape, generator=g)
    steps.flatten(1)[:, 0] = 127
    layer.weight = nn.Parameter(steps / 128.0)
    return layer


IMAGE = (1, 4, 8, 7)

FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Shape, ...]]] = {
    "add": (lambda x, y: x + y, (IMAGE, IMAGE)),
    "add_itself": (lambda x: x + x, ((3, 7),)),
    "add_in_place": (lambda x, y: x.clone().add_(y), ((3, 7), (3, 7))),
    "add_lower_rank": (lambda x, y: x + y, ((2, 3, 4), (4,))),
    "add_channels": (lambda x, y: x + y, (IMAGE, (1, 4, 1, 1))),
    "add_both_repeat": (lambda x, y: x + y, ((4, 1, 3), (1, 5, 3))),
    "add_alpha": (lambda x, y: torch.add(x, y, alpha=2), ((3, 7), (3, 7))),
    "add_negative_alpha": (lambda x, y: torch.add(x, y, alpha=-3), ((3, 7), (3, 7))),
    "add_relu": (lambda x, y: torch.relu(x + y), ((3, 7), (3, 7))),
    "sub": (lambda x, y: x - y, ((3, 7), (3, 7))),
    "sub_itself": (lambda x: x - x, ((3, 7),)),
    "sub_alpha": (lambda x, y: torch.sub(x, y, alpha=0.5), ((3, 7), (3, 7))),
    "sub_clamp": (lambda x, y: torch.clamp(x - y, -0.5, 0.7), ((3, 7), (3, 7))),
    "mul": (lambda x, y: x * y, (IMAGE, IMAGE)),
    "mul_itself": (lambda x: x * x, ((3, 7),)),
    "mul_gate": (lambda x, y: x * y, (IMAGE, (1, 4, 1, 1))),
    "mul_pixels": (lambda x, y: x * y, (IMAGE, (1, 1, 8, 7))),
    "max_pool": (lambda x: F.max_pool2d(x, 2), (IMAGE,)),
    "max_pool_ceil": (lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), (IMAGE,)),
    "max_pool_dilated": (lambda x: F.max_pool2d(x, 2, 1, 1, dilation=2), (IMAGE,)),
    "max_pool_unbatched": (lambda x: F.max_pool2d(x, 2), ((4, 8, 7),)),
    "max_pool_relu": (lambda x: F.relu(F.max_pool2d(x, 2)), (IMAGE,)),
    "avg_pool": (lambda x: F.avg_pool2d(x, 2), (IMAGE,)),
    "avg_pool_ceil": (lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True), (IMAGE,)),
    "avg_pool_counted_padding": (lambda x: F.avg_pool2d(x, 3, 1, 1), (IMAGE,)),
    "avg_pool_padding": (lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), (IMAGE,)),
    "avg_pool_ceil_counted": (lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), (IMAGE,)),
    "avg_pool_sum": (lambda x: F.avg_pool2d(x, 2, divisor_override=1), (IMAGE,)),
    "avg_pool_divisor": (
        lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, divisor_override=7),
        (IMAGE,),
    ),
    "avg_pool_unbatched": (lambda x: F.avg_pool2d(x, (2, 3)), ((4, 8, 7),)),
    "adaptive_to_one": (lambda x: F.adaptive_avg_pool2d(x, 1), (IMAGE,)),
    "adaptive": (lambda x: F.adaptive_avg_pool2d(x, (4, 1)), (IMAGE,)),
    "adaptive_same": (lambda x: F.adaptive_avg_pool2d(x, (None, 1)), (IMAGE,)),
    "mean_image": (lambda x: x.mean((2, 3)), (IMAGE,)),
    "mean_image_keepdim": (lambda x: x.mean((-1, -2), keepdim=True), (IMAGE,)),
    "mean_time": (lambda x: x.mean(1), ((2, 9, 8),)),
    "mean_last": (lambda x: x.mean(-1, keepdim=True), ((2, 9, 8),)),
    "mean_but_batch": (lambda x: x.mean((1, 2, 3)), (IMAGE,)),
    "mean_all": (lambda x: x.mean(), ((2, 9, 8),)),
    "linear": (exact(nn.Linear(16, 6)), ((2, 3, 16),)),
    "linear_vector": (exact(nn.Linear(16, 6, bias=False)), ((16,),)),
    "linear_relu": (nn.Sequential(exact(nn.Linear(16, 6)), nn.ReLU()), ((5, 16),)),
    "mm": (lambda x: x @ (torch.ones(3, 5) / 4), ((4, 3),)),
    "addmm": (lambda x: torch.addmm(torch.ones(5), x, torch.ones(3, 5)), ((4, 3),)),
    "depthwise": (exact(nn.Conv2d(4, 4, 3, padding=1, groups=4)), (IMAGE,)),
    "depthwise_multiplier": (exact(nn.Conv2d(4, 12, 3, stride=2, groups=4)), (IMAGE,)),
    "depthwise_same": (
        exact(nn.Conv2d(4, 4, (2, 3), padding="same", dilation=2, groups=4)),
        (IMAGE,),
    ),
    "depthwise_relu6": (nn.Sequential(exact(nn.Conv2d(4, 4, 3, groups=4)), nn.ReLU6()), (IMAGE,)),
    "one_channel": (exact(nn.Conv2d(1, 5, 3)), ((2, 1, 6, 6),)),
}


class All(nn.Module):
    """Every function, each on inputs of its own: one export instead of many."""

    def __init__(self) -> None:
        super().__init__()
        self.functions = [function for function, _ in FUNCTIONS.values()]
        self.layers = nn.ModuleList(f for f in self.functions if isinstance(f, nn.Module))

    def forward(self, *x: torch.Tensor) -> list[torch.Tensor]:
        slices = inputs_of().values()
        return [f(*x[part]) for f, part in zip(self.functions, slices, strict=True)]


@cache
def inputs_of() -> dict[str, slice]:
    """Which inputs of the program are those of a function."""
    ends = list(itertools.accumulate(len(shapes) for _, shapes in FUNCTIONS.values()))
    return {n: slice(a, b) for n, a, b in zip(FUNCTIONS, [0, *ends], ends, strict=False)}


@dataclass(frozen=True)
class Run:
    """Everything on one set of inputs: int8 on the reference and on the host, and in float64."""

    program: Program
    reference: dict[str, torch.Tensor]
    host: dict[str, torch.Tensor]
    real: dict[str, torch.Tensor]


@pytest.fixture(scope="module")
def run() -> Run:
    g = torch.Generator().manual_seed(3)
    shapes = [shape for _, shapes in FUNCTIONS.values() for shape in shapes]
    samples = [tuple(torch.randn(s, generator=g) for s in shapes) for _ in range(SAMPLES)]
    module = All().eval()
    program = cortorch.export(module, samples[0], calibration=samples, io="int8", name="functions")
    x = [torch.randint(-128, 128, s, generator=g, dtype=torch.int8) for s in shapes]
    real = [
        (i.double() - port.qparams.zero_point) * port.qparams.scale
        for i, port in zip(x, program.inputs, strict=True)
    ]
    host = HostLibrary({"functions": program.static}, BUILD).models["functions"]
    with torch.no_grad(), default_dtype(torch.float64):
        expected = module.double()(*real)
    results = program.run_flat(x), host.run(*x), expected
    return Run(program, *(dict(zip(FUNCTIONS, r, strict=True)) for r in results))


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    yield
    torch.set_default_dtype(before)


by_name = pytest.mark.parametrize("name", FUNCTIONS)


@by_name
def test_within_one_step_of_float(name: str, run: Run) -> None:
    result = run.reference[name]
    q = run.program.outputs[list(FUNCTIONS).index(name)].qparams
    steps = (run.real[name] / q.scale + q.zero_point).clamp(-128, 127)
    assert result.dtype == torch.int8
    assert result.shape == steps.shape
    assert float((result.double() - steps).abs().max()) <= 1.0


@by_name
def test_host_equals_reference(name: str, run: Run) -> None:
    assert same_bytes(run.host[name], run.reference[name].contiguous())


def test_nothing_is_float(run: Run) -> None:
    values = {v for call in run.program.static.calls for v in (*call.inputs(), call.out)}
    assert torch.float32 not in {v.dtype for v in values}
