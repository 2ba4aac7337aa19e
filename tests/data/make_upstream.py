"""Makes upstream.pte: a program of ExecuTorch's own Cortex-M backend, and what it computes there.

    python tests/data/make_upstream.py

Needs what that backend needs besides the executorch package (tosa-tools). Weights are random.
Beside the program goes upstream.npz: an input, and the output of the backend's Python operators.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from executorch.backends.cortex_m.edge_compile_config import cortex_m_edge_compile_config
from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
from executorch.exir import EdgeProgramManager, to_edge_transform_and_lower
from torch import Tensor, nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

FOLDER = Path(__file__).parent


class Network(nn.Module):
    """One of each: what the backend has for images, then fully connected layers."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU6())
        self.depthwise = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.ReLU())
        self.pointwise = nn.Conv2d(8, 8, 1)
        self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)
        self.places = nn.Linear(36, 12)
        self.means = nn.Linear(4, 12)
        self.classes = nn.Sequential(nn.ReLU(), nn.Linear(12, 5, bias=False))

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        x = self.pointwise(self.depthwise(x)) + x
        x = nn.functional.max_pool2d(x, 2) * torch.sigmoid(nn.functional.avg_pool2d(x, 2))
        x = self.up(x)
        places = self.places(torch.flatten(nn.functional.avg_pool2d(x, 2), 1))
        means = self.means(torch.flatten(nn.functional.adaptive_avg_pool2d(x, 1), 1))
        return torch.softmax(self.classes(places + means), -1)


def main() -> None:
    torch.manual_seed(0)
    x = torch.randn(1, 3, 12, 12).to(memory_format=torch.channels_last)
    captured = torch.export.export(Network().eval(), (x,)).module(check_guards=False)
    prepared = prepare_pt2e(captured, CortexMQuantizer())
    for _ in range(8):
        prepared(torch.randn_like(x))
    prepared(x)
    quantized = torch.export.export(convert_pt2e(prepared), (x,))
    config = cortex_m_edge_compile_config()
    edge = to_edge_transform_and_lower(quantized, compile_config=config)
    lowered = CortexMPassManager(edge.exported_program()).transform()
    y = lowered.module(check_guards=False)(x)
    np.savez(FOLDER / "upstream.npz", x=x.contiguous().numpy(), y=y.detach().numpy())
    made = EdgeProgramManager({"forward": lowered}, compile_config=config)
    (FOLDER / "upstream.pte").write_bytes(made.to_executorch().buffer)


if __name__ == "__main__":
    main()
