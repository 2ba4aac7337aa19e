"""``CortexMTester`` on what ExecuTorch's stages alone would get wrong."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from cortorch import CortexMQuantizer
from cortorch.errors import QuantizationError
from cortorch.quantization.quantization_config import INT8_PER_TENSOR
from cortorch.testing import CortexMTester
from quantized_modules import Call, With, trained_norm

X = torch.linspace(-1, 1, 6).view(2, 3)


@pytest.mark.parametrize("inputs", [(X, 1.5), (1.5, X)], ids=["second", "first"])
def test_a_number_as_input_is_a_constant(inputs: tuple[Any, ...]) -> None:
    tester = CortexMTester(Call(lambda x, y: x + y), inputs)
    tester.test_implementation(qtol=1, on="reference")


def test_a_batch_norm_is_not_folded_into_what_others_read() -> None:
    parts = {"conv": nn.Conv2d(3, 3, 1), "norm": trained_norm(nn.BatchNorm2d(3))}
    module = With(lambda s, x: s.norm(y := s.conv(x)) + y, **parts).eval()
    image = torch.randn(1, 3, 8, 8)
    quantized = CortexMTester(module, (image,)).quantize().get_artifact()
    with torch.no_grad():
        torch.testing.assert_close(quantized(image), module(image), atol=0.2, rtol=0)


def test_int16_is_refused() -> None:
    with pytest.raises(QuantizationError, match="int16 has no kernels"):
        CortexMQuantizer(per_tensor_config="INT16_PER_TENSOR_CONFIG")  # type: ignore[arg-type]


def test_upstream_s_arguments_of_the_quantizer() -> None:
    quantizer = CortexMQuantizer(per_tensor_config=INT8_PER_TENSOR, use_explicit_layout=True)
    assert quantizer.selection.default is not None
    assert quantizer.selection.default.per_channel, "it is about activations only"
