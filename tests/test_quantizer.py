"""CortexMQuantizer in torchao's real flow: what is int8, how ranges are shared, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from cortorch import export
from cortorch.errors import QuantizationError
from cortorch.quantization.quantization_config import INT8_PER_TENSOR, QuantizationConfig
from cortorch.quantization.quantizer import CortexMQuantizer, check_finite
from networks import TRAINED, trained
from quantization import prepare, quantize, quantized_case
from quantized_modules import FLOAT, INT8, Call, V, With, X, build


def sqnr_db(real: torch.Tensor, other: torch.Tensor) -> float:
    return float(10 * torch.log10(real.square().sum() / (real - other).square().sum()))


def outputs(result: Any) -> list[torch.Tensor]:
    return list(result) if isinstance(result, tuple) else [result]


def targets(module: torch.fx.GraphModule) -> list[str]:
    return [str(n.target) for n in module.graph.nodes if n.op == "call_function"]


def output_params(module: torch.fx.GraphModule) -> list[tuple[float, int]]:
    """(scale, zero point) of every quantized activation, in graph order."""
    nodes = [n for n in module.graph.nodes if str(n.target).endswith("quantize_per_tensor.default")]
    return [n.args[1:3] for n in nodes if ".quantize" in str(n.target)]


@pytest.mark.parametrize("name", INT8)
def test_everything_is_int8(name: str) -> None:
    module, inputs = build(INT8, name)
    quantized, quantizer = quantized_case("INT8", name)
    assert quantizer.report.in_float() == []
    for real, int8 in zip(outputs(module(*inputs)), outputs(quantized(*inputs)), strict=True):
        assert torch.equal(real, int8) or sqnr_db(real, int8) > 24


@pytest.mark.parametrize("name", FLOAT)
def test_reason_for_float(name: str) -> None:
    module, inputs = build(FLOAT, name)
    reasons = FLOAT[name][2]
    quantized, quantizer = quantized_case("FLOAT", name)
    found = {entry.node: entry.reason or "" for entry in quantizer.report.in_float()}
    for node, reason in reasons.items():
        assert reason in found[node]
    for real, other in zip(outputs(module(*inputs)), outputs(quantized(*inputs)), strict=True):
        assert torch.equal(real, other) or sqnr_db(real.float(), other.float()) > 24


@pytest.mark.parametrize("name", TRAINED)
def test_trained_network(name: str) -> None:
    network = trained(name)
    if network is None:
        pytest.skip("the trained networks are not here")
    module, inputs = network
    quantized, quantizer = quantize(module, inputs[:4])
    assert quantizer.report.in_float() == []
    with torch.no_grad():
        real, int8 = (torch.cat([m(*x) for x in inputs[:8]]) for m in (module, quantized))
    assert sqnr_db(real, int8) > 15


@pytest.mark.parametrize("name", ["conv-forked-bn", "conv-two-bns"])
def test_export_sets_shared_batch_norms_apart(name: str) -> None:
    """torchao alone folds them into a layer that others read too, which changes the function."""
    module, inputs = build(INT8, name)
    program = export(module, inputs, calibration=[inputs])
    assert sqnr_db(module(*inputs), program.run(*inputs, on="reference")) > 24


def test_activation_is_fused_into_its_only_producer() -> None:
    module = nn.Sequential(nn.Conv2d(4, 4, 3), nn.ReLU(), nn.Hardtanh(0, 1))
    _, quantizer = quantize(module, [(X,)])
    fused = {entry.node: entry.fused_into for entry in quantizer.report.nodes}
    assert fused == {"conv2d": None, "relu": "conv2d", "hardtanh": None}


def test_views_and_pools_share_parameters() -> None:
    module = nn.Sequential(nn.MaxPool2d(2), nn.Flatten(), nn.Unflatten(1, (8, 8)))
    quantized, _ = quantize(module, [(X,)])
    assert len(set(output_params(quantized))) == 1


def test_concat_shares_one_scale_with_its_producers() -> None:
    module = Call(lambda x, y: torch.cat([torch.cat([x + x, y + y], 1), x * 1.5], 1))
    quantized, _ = quantize(module, [(X, X.flip(1))])
    assert len(set(output_params(quantized)[2:])) == 1


def test_concat_of_wide_and_narrow_requantizes() -> None:
    """Row 20 of the list of inputs that must come out right: the narrow half keeps its scale."""
    module = Call(lambda a, b: (torch.cat([a + a, y := b + b], 1), y))
    quantized, quantizer = quantize(module, [(100 * X, X)])
    scales = {e.node: e.scale for e in quantizer.report.refresh().nodes}
    assert scales["add"] == scales["cat"]
    assert scales["add_1"] < scales["cat"] / 50
    narrow = quantized(100 * X, X)[1]
    assert (narrow - 2 * X).abs().max() <= scales["add_1"]


def test_fixed_output_does_not_spread_over_a_concat() -> None:
    module = Call(lambda x: torch.cat([torch.softmax(x, 1).view(2, 12), 10 * x], 1))
    quantized, quantizer = quantize(module, [(V,)])
    scales = {e.node: e.scale for e in quantizer.report.refresh().nodes}
    assert scales["softmax"] == 1 / 256
    assert scales["cat"] > 0.01
    assert sqnr_db(module(V), quantized(V)) > 30


def test_agreeing_fixed_outputs_are_concatenated_as_they_are() -> None:
    module = Call(lambda x: torch.cat([torch.softmax(x, 1), torch.softmax(x, 0)], 1))
    quantized, _ = quantize(module, [(V,)])
    assert {scale for scale, _ in output_params(quantized)[1:]} == {1 / 256}


def test_shared_weight_is_stored_once() -> None:
    module = With(lambda s, x: s.c(s.c(x)), c=nn.Conv2d(4, 4, 1, bias=False))
    quantized, _ = quantize(module, [(X,)])
    stored = [t for n, t in quantized.named_buffers() if "frozen" in n]
    assert [t.dtype for t in stored] == [torch.int8]


def test_shared_bias_has_the_scale_of_each_user() -> None:
    module = With(lambda s, x: s.c(100 * s.c(x)), c=nn.Conv2d(4, 4, 1))
    quantized, _ = quantize(module, [(X,)])
    biases = [t for n, t in quantized.named_buffers() if "frozen" in n and t.dtype == torch.int32]
    assert len(biases) == 2
    assert sqnr_db(module(X), quantized(X)) > 30


@pytest.mark.parametrize("magnitude", [0.0, 1e-30, 1e-12, 1e-3, 1e6])
def test_weights_of_any_magnitude(magnitude: float) -> None:
    """Channel 0 is dead or huge, its bias ordinary."""
    module = nn.Linear(12, 4)
    with torch.no_grad():
        module.weight[0] *= magnitude
        module.bias[0] = 3.0
    quantized, _ = quantize(module, [(V,)])
    stored = [t for n, t in quantized.named_buffers() if "frozen" in n and t.dtype == torch.int32]
    assert all(t.abs().max() <= 2**30 for t in stored)
    result = quantized(V)
    assert torch.isfinite(result).all()
    step = (module(V).max() - module(V).min()) / 255
    assert (result - module(V)).abs().max() < 4 * step


def test_dead_layer() -> None:
    module = nn.Conv2d(4, 4, 3)
    nn.init.zeros_(module.weight)
    nn.init.zeros_(module.bias)
    quantized, _ = quantize(module, [(X,)])
    assert torch.equal(quantized(X), torch.zeros(1, 4, 6, 6))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_broken_weight_is_named(value: float) -> None:
    module = nn.Sequential(nn.Linear(12, 4), nn.Linear(4, 3))
    with torch.no_grad():
        module[1].weight[1, 2] = value
    with pytest.raises(QuantizationError, match=r"'1\.weight'.*linear_1.*module 1"):
        quantize(module, [(V,)])
    with pytest.raises(QuantizationError, match=r"parameter '1\.weight'"):
        check_finite(module)


def test_broken_sample_is_named() -> None:
    bad = V.clone()
    bad[0, 0] = float("nan")
    with pytest.raises(QuantizationError, match="sample 3, input 1, has 1 NaN values"):
        check_finite((V, bad), "sample 3")
    with pytest.raises(QuantizationError, match=r"input_1, input of linear .*NaN"):
        quantize(nn.Linear(12, 4), [(bad,)])


def test_overflow_inside_the_model_is_named() -> None:
    module = Call(lambda x: (x * 1e30) * 1e30)
    with pytest.raises(QuantizationError, match=r"output of mul_1 .*quantized_modules\.py"):
        quantize(module, [(V,)])


def test_conversion_without_calibration_is_refused() -> None:
    with pytest.raises(QuantizationError, match="no sample reached"):
        quantize_uncalibrated()


def quantize_uncalibrated() -> None:
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    from quantization import capture

    convert_pt2e(prepare_pt2e(capture(nn.Linear(12, 4), (V,)), CortexMQuantizer()))


@pytest.mark.parametrize("observer", ["histogram", "min_max", "percentile", "mse"])
def test_observers(observer: str) -> None:
    module = nn.Sequential(nn.Conv2d(4, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3))
    config = QuantizationConfig(observer=observer)
    quantized, _ = quantize(module, [(X,)], CortexMQuantizer(config))
    assert sqnr_db(module(X), quantized(X)) > 30


def test_unknown_observer() -> None:
    with pytest.raises(QuantizationError, match="histogram, min_max"):
        QuantizationConfig(observer="magic")


def two_layers() -> nn.Module:
    return nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 4), nn.Softmax(1))


@pytest.mark.parametrize(
    ("configure", "in_float"),
    [
        (lambda q: q.set_module_name("0", None), {"linear", "relu"} - {"relu"}),
        (lambda q: q.set_module_type(nn.Softmax, None), {"softmax"}),
        (lambda q: q.set_operator_type(torch.ops.aten.linear, None), {"linear", "linear_1"}),
        (lambda q: q.set_operator_type("aten.linear.default", None), {"linear", "linear_1"}),
        (
            lambda q: q.set_global(None).set_module_name("2", QuantizationConfig()),
            {"linear", "relu", "softmax"},
        ),
        (
            lambda q: q.set_operator_type("aten.linear", None).set_module_name(
                "2", INT8_PER_TENSOR
            ),
            {"linear"},
        ),
        (lambda q: q.set_io(None), {"linear", "softmax"}),
    ],
)
def test_selection(configure: Any, in_float: set[str]) -> None:
    quantizer = CortexMQuantizer()
    configure(quantizer)
    module = two_layers()
    quantized, _ = quantize(module, [(V,)], quantizer)
    assert {entry.node for entry in quantizer.report.in_float()} == in_float
    assert all("left in float by set_" in (e.reason or "") for e in quantizer.report.in_float())
    assert sqnr_db(module(V), quantized(V)) > 24


def test_io_has_its_own_observer() -> None:
    quantizer = CortexMQuantizer(QuantizationConfig(observer="percentile"))
    quantizer.set_io(QuantizationConfig(observer="min_max"))
    quantized, _ = quantize(nn.Linear(12, 4), [(V,)], quantizer)
    scale, _ = output_params(quantized)[0]
    assert scale == pytest.approx(float(V.max() - V.min()) / 255)


def test_weights_per_tensor() -> None:
    quantized, _ = quantize(nn.Linear(12, 4), [(V,)], CortexMQuantizer(INT8_PER_TENSOR))
    assert not any("per_channel" in t for t in targets(quantized))


def test_report_reads_well() -> None:
    module = Call(lambda x: torch.special.bessel_j0(F.relu(x + x)))
    _, quantizer = quantize(module, [(V,)])
    text = str(quantizer.report)
    assert "fused into add" in text
    assert "float: no int8 operator for aten.special_bessel_j0.default" in text
    assert "2 of 3 calls quantized" in text
    assert "quantized_modules.py:" in text
    data = json.loads(quantizer.report.refresh().to_json())
    assert (data["quantized"], data["float"]) == (2, 1)
    assert data["nodes"][1]["scale"] > 0


def test_requantization_is_not_needed_twice() -> None:
    """A producer of two concats joins both if the ranges allow."""
    module = Call(lambda x, y: (torch.cat([a := x + x, y * 2], 1), torch.cat([a, y * 1.5], 1)))
    quantized, _ = quantize(module, [(X, X)])
    assert len(set(output_params(quantized)[2:])) == 1


def test_prepared_module_may_be_copied() -> None:
    import copy

    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e

    module = Call(lambda x, y: torch.cat([x + x, y * 2], 1))
    prepared, _ = prepare(module, [(X, X)])
    first, second = convert_pt2e(copy.deepcopy(prepared)), convert_pt2e(prepared)
    assert torch.equal(first(X, X), second(X, X))
