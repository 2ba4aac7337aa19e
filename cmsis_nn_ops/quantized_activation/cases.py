"""Test inputs of the table look-up."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.quantized_activation.op import EVERY, table
from cmsis_nn_ops.testdata import int8
from cortorch.edge.quant_info import QParams


def _activation(shape: tuple[int, ...], **overrides: Any) -> Any:
    return lambda g: {"input": int8(g, shape), "lut": int8(g, (256,)), **overrides}


SIGMOID = table(torch.sigmoid, QParams(0.05, 3), QParams(1 / 256, -128))

CASES = [
    Case("random_table", _activation((2, 5, 7, 3))),
    Case("scalar", _activation(())),
    Case("every_value", _activation((), input=EVERY)),
    Case("identity", _activation((1, 1000), lut=EVERY)),
    Case("sigmoid", _activation((), input=EVERY.flip(0), lut=SIGMOID)),
    Case("C1", _activation((), input=EVERY.to(torch.uint8)), rejects="C1"),
    Case("C2", _activation((4,), lut=EVERY[1:]), rejects="C2"),
]

BENCHMARKS = [
    Case("map_16", _activation((1, 16, 16, 32))),
]
