"""The benchmark measures the published networks, and fails when it should."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

from bench import baseline, tables
from bench.__main__ import verdict
from bench.measure import Measurement, mismatches
from bench.networks import NETWORKS
from bench.operators import benchmarks
from cortorch.images.board import list_boards
from cortorch.target import Isa

# Multiply-accumulates of one inference, padding included: MLPerf Tiny's networks, and MobileNetV2
# (its authors count 300 million).
MACS = {
    "ds_cnn": 2_656_768,
    "mobilenet_v1_025": 7_489_664,
    "resnet8": 12_501_632,
    "deep_autoencoder": 264_192,
    "mobilenet_v2": 300_774_272,
}


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_are_the_published_ones(name: str) -> None:
    counted: list[int] = []

    def count(layer: torch.nn.Module, _: object, out: torch.Tensor) -> None:
        counted.append(layer.weight[0].numel() * out.numel())

    with torch.device("meta"):
        module = NETWORKS[name].make().eval()
        for layer in module.modules():
            if isinstance(layer, torch.nn.Conv2d | torch.nn.Linear):
                layer.register_forward_hook(count)
        module(torch.empty(NETWORKS[name].input_shape))
    assert sum(counted) == MACS[name]


def test_networks_are_the_same_every_time() -> None:
    (first, x), (again, y) = (NETWORKS["ds_cnn"].build() for _ in range(2))
    assert torch.equal(x[0][0], y[0][0])
    for a, b in zip(first.state_dict().values(), again.state_dict().values(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("names", [tables.load_anchors(), baseline.load()], ids=["anchors", "base"])
def test_data_name_boards_and_networks(names: dict[str, dict[str, object]]) -> None:
    assert set(names) <= set(list_boards())
    known = {*NETWORKS, *(case.id for case in benchmarks())}
    assert {name for of_board in names.values() for name in of_board} <= known


def test_every_variant_of_a_measured_operator_is_measured() -> None:
    cases = benchmarks()
    kernels = {kernel.function for case in cases for kernel in case.op.kernels}
    for case in cases:
        chosen = {case.op.kernel_for(case.baked(), isa) for isa in Isa}
        kernels -= {kernel.function for kernel in chosen if kernel is not None}
    assert kernels == set()


def test_mismatches_are_values_that_differ_in_any_bit() -> None:
    wanted = [torch.tensor([0.0, 1.0, 2.0]), torch.tensor([[1, 2]], dtype=torch.int8)]
    got = [np.array([-0.0, 1.0, 2.5], np.float32), np.array([[1, 3]], np.int8)]
    assert mismatches([w.numpy() for w in wanted], wanted) == 0
    assert mismatches(got, wanted) == 3


@pytest.mark.parametrize(
    ("insns", "wrong", "says"),
    [(1010, 0, None), (1011, 0, r"\+1\.1%"), (500, 0, None), (900, 2, "2 output values")],
)
def test_verdict(
    insns: int, wrong: int, says: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    results = {"some_board": {"net": Measurement(insns, 1, wrong)}}
    assert verdict(results, {"some_board": {"net": 1000}}) == (says is not None)
    errors = capsys.readouterr().err
    assert re.search(says, errors) if says else not errors
