"""Quantization-aware training in torchao's own flow: folds batch norm, trains, converts, int8."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import export
from torchao.quantization.pt2e import move_exported_model_to_eval, move_exported_model_to_train
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_qat_pt2e

from cortorch.exporter import lower
from cortorch.images.board import default_board
from cortorch.program import Program
from cortorch.quantization.quantization_config import INT8_QAT
from cortorch.quantization.quantizer import CortexMQuantizer
from quantization import FoldedInterpreter, float_calls, fold, to_edge_program

STEPS = 8


class Network(nn.Module):
    """Batch norm behind a convolution with and without bias, and a concat of two scales."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
        self.body = nn.Sequential(nn.Conv2d(4, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU6())
        self.head = nn.Sequential(nn.Conv2d(4, 4, 1), nn.Dropout(0.1), nn.Flatten())
        self.classify = nn.Linear(4 * 16, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = self.head(self.body(self.stem(x)))
        return self.classify(torch.cat([x[:, :32], x[:, 32:] * 2], 1))


@dataclass(frozen=True)
class Trained:
    images: Tensor
    fused: dict[str, str]
    losses: list[float]
    outputs: Tensor
    converted: torch.fx.GraphModule


@pytest.fixture(scope="module")
def trained() -> Trained:
    """The whole way, once: torchao's search for batch norms takes most of its time."""
    torch.manual_seed(0)
    x, labels = torch.randn(8, 3, 8, 8), torch.arange(8) % 3
    quantizer = CortexMQuantizer(INT8_QAT)
    prepared = prepare_qat_pt2e(export(Network().train(), (x,)).module(), quantizer)
    fused = {entry.node: entry.fused_into for entry in quantizer.report.nodes if entry.fused_into}
    losses = train(prepared, x, labels)
    move_exported_model_to_eval(prepared)
    outputs = prepared(x)
    return Trained(x, fused, losses, outputs, convert_pt2e(prepared))


def test_activations_and_batch_norms_are_fused(trained: Trained) -> None:
    assert trained.fused == {
        "batch_norm": "conv2d",
        "relu": "conv2d",
        "batch_norm_1": "conv2d_1",
        "hardtanh": "conv2d_1",
    }


def test_trains(trained: Trained) -> None:
    assert trained.losses[-1] < trained.losses[0]


def test_converts_to_int8(trained: Trained) -> None:
    x, converted = trained.images, trained.converted
    assert not any("batch_norm" in str(n.target) for n in converted.graph.nodes)
    torch.testing.assert_close(converted(x), trained.outputs, atol=0.05, rtol=0)

    program = to_edge_program(converted, (x,))
    wanted = FoldedInterpreter(program).run_inputs(x)
    fold(program)
    assert float_calls(program) == []
    assert torch.equal(FoldedInterpreter(program).run_inputs(x)[0], wanted[0])


def places() -> list[Any]:
    return ["host", "executorch", pytest.param(default_board(), marks=pytest.mark.emulator)]


@pytest.mark.parametrize("place", places())
def test_same_everywhere(
    place: str, trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORTORCH_BUILD_DIR", str(tmp_path))
    captured = export(trained.converted, (trained.images,))
    program = Program.from_edge(lower(captured), captured, "trained", "cortex-m55")
    reference = program.run(trained.images)
    torch.testing.assert_close(reference, trained.outputs.detach(), atol=0.1, rtol=0)
    assert torch.equal(program.run(trained.images, on=place), reference)


def train(prepared: torch.fx.GraphModule, x: Tensor, labels: Tensor) -> list[float]:
    move_exported_model_to_train(prepared)
    optimizer = torch.optim.SGD(prepared.parameters(), lr=0.05)
    losses = []
    for _ in range(STEPS):
        loss = nn.functional.cross_entropy(prepared(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
