"""``cortorch.export``: structure of inputs and outputs, int8 ports, layouts, and what is
refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from executorch.exir import to_edge_transform_and_lower
from torch import nn
from torch.export import export
from torch.utils._pytree import tree_flatten
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

import cortorch
from cortorch.errors import DeviceError, ExportError, QuantizationError
from cortorch.program import Program
from networks import small


def exported(name: str, **options: Any) -> tuple[Program, tuple[Any, ...]]:
    module, inputs = small(name)
    return cortorch.export(module, inputs[0], calibration=inputs, name=name, **options), inputs[1]


@pytest.mark.parametrize("name", ["residual", "mixed", "sequence"])
def test_returns_what_forward_returns(name: str) -> None:
    module, inputs = small(name)
    program = cortorch.export(module, inputs[0], calibration=inputs)
    values, structure = tree_flatten(program.run(*inputs[0]))
    wanted, same = tree_flatten(module(*inputs[0]))
    assert structure == same
    assert [(v.shape, v.dtype) for v in values] == [(w.shape, w.dtype) for w in wanted]


def test_int8_ports() -> None:
    """The program has no float in it, and gives the same numbers as the one that converts on the
    device."""
    program, x = exported("residual", io="int8")
    assert {v.dtype for c in program.static.calls for v in (*c.inputs(), c.out)} <= {
        torch.int8,
        torch.int32,
    }
    with_float, _ = exported("residual")
    assert torch.equal(program.run(*x), with_float.run(*x))
    q = program.inputs[0].qparams
    assert q is not None
    raw = (torch.round(x[0] / q.scale) + q.zero_point).clamp(-128, 127).to(torch.int8)
    assert program.run(raw).dtype == torch.int8


def test_nhwc_input_needs_no_permute() -> None:
    plain, x = exported("residual")
    program, _ = exported("residual", input_layout="nhwc")
    assert len(program.static.calls) == len(plain.static.calls) - 1
    assert torch.equal(program.run(x[0].permute(0, 2, 3, 1).contiguous()), plain.run(*x))


def test_example_inputs_serve_with_a_warning() -> None:
    module, inputs = small("sequence")
    with pytest.warns(UserWarning, match="no calibration data"):
        cortorch.export(module, inputs[0])


def test_the_flow_of_pt2e() -> None:
    """The program of executorch's documentation, with our names."""
    model, inputs = small("residual")
    captured = export(model, inputs[0]).module()
    prepared = prepare_pt2e(captured, cortorch.CortexMQuantizer())
    prepared(*inputs[0])
    quantized = convert_pt2e(prepared)
    edge = to_edge_transform_and_lower(
        export(quantized, inputs[0]),
        compile_config=cortorch.cortex_m_edge_compile_config(),
        transform_passes=cortorch.CortexMPassManager(),
    )
    program = Program(bytes(edge.to_executorch().buffer), "flow", "cortex-m55")
    assert program.run_flat(list(inputs[0]))[0].shape == (1, 6)
    assert torch.equal(
        program.run_flat(list(inputs[0]))[0], edge.exported_program().module()(*inputs[0])
    )


class Poisoned(nn.Module):
    def __init__(self, value: float) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.layer.weight.data[1, 2] = value

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_non_finite_weight(value: float) -> None:
    with pytest.raises(QuantizationError, match=r"layer\.weight"):
        cortorch.export(Poisoned(value), (torch.zeros(1, 4),), calibration=[(torch.zeros(1, 4),)])


@pytest.mark.parametrize("value", [float("nan"), float("-inf")])
def test_non_finite_calibration(value: float) -> None:
    good, bad = torch.zeros(1, 4), torch.full((1, 4), value)
    with pytest.raises(QuantizationError, match="calibration sample 1"):
        cortorch.export(nn.Linear(4, 4), (good,), calibration=[(good,), (bad,)])


def test_empty_calibration() -> None:
    with pytest.raises(QuantizationError, match="empty"):
        cortorch.export(nn.Linear(4, 4), (torch.zeros(1, 4),), calibration=[])


class Scaled(nn.Module):
    """A convolution whose channels have wildly different weights."""

    def __init__(self, weights: list[float], bias: float) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.conv = nn.Conv2d(3, len(weights), 3)
        self.conv.weight.data *= torch.tensor(weights).reshape(-1, 1, 1, 1)
        self.conv.bias.data.fill_(bias)  # type: ignore[union-attr]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.conv(x))


@pytest.mark.parametrize(
    ("weights", "bias"),
    [
        ([1e-30, 1.0], 1.0),
        ([1e-30, 1e-30], 3.0),
        ([0.0, 1.0], 0.5),
        ([0.0, 0.0], 0.0),
        ([1e6, 1e-6, 1.0], 1.0),
        ([1e6, 1e6], -1e6),
        ([1e-12, 1e-3], 1e5),
    ],
    ids=str,
)
def test_extreme_weights(weights: list[float], bias: float) -> None:
    """No overflow: each channel is right to a few steps of the output's scale, and the C agrees."""
    module = Scaled(weights, bias).eval()
    g = torch.Generator().manual_seed(0)
    inputs = [(torch.randn(1, 3, 6, 6, generator=g),) for _ in range(8)]
    program = cortorch.export(module, inputs[0], calibration=inputs, name="scaled")
    result = program.run(*inputs[0])
    assert torch.equal(result, program.run(*inputs[0], on="host"))
    with torch.no_grad():
        wanted = torch.stack([module(*x) for x in inputs])
    step = max((wanted.max() - min(wanted.min(), torch.tensor(0.0))).item() / 255, 1e-9)
    assert (result - wanted[0]).abs().max() <= 3 * step


@pytest.mark.parametrize("shape", [(1, 4, 8), (2, 4)])
def test_wrong_input(shape: tuple[int, ...]) -> None:
    module = nn.Linear(4, 4)
    program = cortorch.export(module, (torch.zeros(1, 4),), calibration=[(torch.ones(1, 4),)])
    with pytest.raises(DeviceError, match=r"the program takes \[1, 4\]"):
        program.run(torch.zeros(shape))


class Unsupported(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.fft.rfft(x).abs() + 1


@pytest.mark.filterwarnings("ignore")
def test_what_has_no_kernel_is_listed() -> None:
    x = torch.ones(1, 8)
    with pytest.raises(ExportError, match="fft"):
        cortorch.export(Unsupported(), (x,), calibration=[(x,)])
