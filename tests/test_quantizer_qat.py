"""Quantization-aware training in torchao's own flow: folds batch norm, trains, converts, int8."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.export import export
from torchao.quantization.pt2e import move_exported_model_to_eval, move_exported_model_to_train
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_qat_pt2e

from cortorch.quantization_config import INT8_QAT
from cortorch.quantizer import CortexMQuantizer
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


def test_trains_and_converts() -> None:
    """One test for the whole way: torchao's search for batch norms takes most of its time."""
    torch.manual_seed(0)
    x, labels = torch.randn(8, 3, 8, 8), torch.arange(8) % 3
    quantizer = CortexMQuantizer(INT8_QAT)
    prepared = prepare_qat_pt2e(export(Network().train(), (x,)).module(), quantizer)
    fused = {entry.node: entry.fused_into for entry in quantizer.report.nodes if entry.fused_into}
    assert fused == {
        "batch_norm": "conv2d",
        "relu": "conv2d",
        "batch_norm_1": "conv2d_1",
        "hardtanh": "conv2d_1",
    }
    losses = train(prepared, x, labels)
    assert losses[-1] < losses[0]

    move_exported_model_to_eval(prepared)
    trained = prepared(x)
    converted = convert_pt2e(prepared)
    assert not any("batch_norm" in str(n.target) for n in converted.graph.nodes)
    torch.testing.assert_close(converted(x), trained, atol=0.05, rtol=0)

    program = to_edge_program(converted, (x,))
    wanted = FoldedInterpreter(program).run_inputs(x)
    fold(program)
    assert float_calls(program) == []
    assert torch.equal(FoldedInterpreter(program).run_inputs(x)[0], wanted[0])


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
