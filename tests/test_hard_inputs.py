"""What other exporters get wrong, against the quantized graph in PyTorch."""

from __future__ import annotations

import pytest
import torch

from cortorch.testing import CortexMTester
from hard_inputs import MODULES

# Of the output's scale. Where the scale inside is larger, one step there is several at the output.
STEPS = {"hardswish-of-pool": 4, "multihead-attention": 2}


@pytest.mark.parametrize("name", MODULES)
def test_near_the_quantized_graph(name: str) -> None:
    make, inputs = MODULES[name]
    torch.manual_seed(0)
    CortexMTester(make().eval(), inputs).test_dialect({}, {}, qtol=STEPS.get(name, 1), atol=1e-6)
