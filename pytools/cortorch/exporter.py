"""``export``: from a module to a program, in one call."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import torch
from executorch.exir import EdgeProgramManager, to_edge_transform_and_lower
from torch.export import ExportedProgram
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import Quantizer

from cortorch import report
from cortorch.edge import graph, names
from cortorch.edge.boundary import boundary_quantization, strip_boundary
from cortorch.edge.compile_config import cortex_m_edge_compile_config
from cortorch.edge.dialect import operator_of
from cortorch.edge.pass_manager import CortexMPassManager
from cortorch.errors import ExportError, QuantizationError
from cortorch.forms import pte
from cortorch.program import Program
from cortorch.quantization.quantizer import CortexMQuantizer, check_finite
from cortorch.quantization.rewrites import (
    batch_norm,
)
from cortorch.quiet import quiet_copies
from cortorch.target import parse_target

Inputs = tuple[Any, ...]


def export(
    module: torch.nn.Module,
    example_inputs: Inputs,
    *,
    calibration: Iterable[Inputs] | None = None,
    target: str = "cortex-m55",
    quantize: bool = True,
    quantizer: Quantizer | None = None,
    io: Literal["float", "int8"] = "float",
    input_layout: Literal["nchw", "nhwc"] = "nchw",
    name: str | None = None,
) -> Program:
    """Captures, quantizes and lowers ``module``.

    Args:
        module: any module that ``torch.export`` can capture with static shapes; it is exported in
            eval mode.
        example_inputs: what ``forward`` takes.
        calibration: iterable of such tuples; the observers see all of them. Without it the example
            inputs serve.
        target: ``cortex-m0`` .. ``cortex-m85``, for the report's choice of kernels; the .pte itself
            is target-neutral.
        quantize: False exports the module as it is; whatever has no float kernel is refused.
        quantizer: replaces ``CortexMQuantizer()``.
        io: ``int8`` takes and returns quantized tensors, without conversion on the device.
        input_layout: ``nhwc`` makes rank-4 inputs channels-last tensors [N,H,W,C], which saves a
            permute.
        name: of the model in images; the class name by default.

    Raises:
        QuantizationError: non-finite weights or calibration data.
        ExportError: the module cannot be captured, or a node has no kernel (each one listed with
        its reason).
    """
    parse_target(target)
    inputs = tuple(example_inputs)
    training = module.training
    module.eval()
    try:
        check_finite(module)
        wrapped = _Nhwc(module) if input_layout == "nhwc" else module
        if input_layout == "nhwc":
            inputs = _to_nhwc(inputs)
        captured = _capture(wrapped, inputs)
        if quantize:
            samples = _samples(calibration, inputs, input_layout)
            captured = _capture(
                _quantize(captured, samples, quantizer or CortexMQuantizer()), inputs
            )
    finally:
        module.train(training)
    model_name = name or type(module).__name__.lower()
    with quiet_copies():
        return Program.from_edge(lower(captured, io), captured, model_name, target)


def lower(captured: ExportedProgram, io: str = "float") -> EdgeProgramManager:
    """The edge program in the dialect, with the metadata that ``bake`` reads; refuses what has no
    kernel."""
    edge = to_edge_transform_and_lower(
        captured,
        compile_config=cortex_m_edge_compile_config(),
        transform_passes=CortexMPassManager(),
    )
    program = edge.exported_program()
    left = report.unlowered(program)
    if left:
        raise ExportError(
            f"{len(left)} node(s) have no kernel on Cortex-M:\n{report.explain(left)}\n"
            "Quantize them (calibrate, or widen the quantizer's configuration), or rewrite that "
            "part of the module."
        )
    ports = boundary_quantization(program)
    if io == "int8":
        strip_boundary(program, ports)
    calls = [n for n in graph.calls(program) if operator_of(n.target) is not None]
    metadata = {
        "inputs": [p.as_json(io == "int8") for p in ports.inputs],
        "outputs": [p.as_json(io == "int8") for p in ports.outputs],
        "nodes": names.assign(calls),
        "sources": [names.portable_source_of(n) for n in calls],
    }
    return EdgeProgramManager(
        {"forward": program},
        constant_methods={pte.METADATA_METHOD: json.dumps(metadata)},
        compile_config=cortex_m_edge_compile_config(),
    )


def _capture(module: torch.nn.Module, inputs: Inputs) -> ExportedProgram:
    try:
        return torch.export.export(module, inputs, strict=False)
    except Exception as error:
        raise ExportError(
            f"torch.export cannot capture {type(module).__name__}: {error}"
        ) from error


def _samples(calibration: Iterable[Inputs] | None, inputs: Inputs, layout: str) -> list[Inputs]:
    if calibration is None:
        warnings.warn(
            "no calibration data: the ranges of all activations are taken from the example inputs "
            "alone; pass "
            "calibration=[(x,), ...] with some dozens of real inputs",
            stacklevel=3,
        )
        return [inputs]
    samples = [tuple(s) if isinstance(s, (tuple, list)) else (s,) for s in calibration]
    if not samples:
        raise QuantizationError(
            "calibration is empty: pass at least one tuple of inputs, or None for the example "
            "inputs"
        )
    return [_to_nhwc(s) if layout == "nhwc" else s for s in samples]


def _quantize(
    captured: ExportedProgram, samples: Sequence[Inputs], quantizer: Quantizer
) -> torch.nn.Module:
    module = captured.module()
    batch_norm.isolate(module)
    prepared = prepare_pt2e(module, quantizer)
    with torch.no_grad():
        for number, sample in enumerate(samples):
            check_finite(sample, f"calibration sample {number}")
            prepared(*sample)
    return convert_pt2e(prepared)


class _Nhwc(torch.nn.Module):
    """Takes rank-4 inputs as [N,H,W,C]."""

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, *inputs: Any) -> Any:
        return self.module(*(_permuted(x, (0, 3, 1, 2)) for x in inputs))


def _permuted(x: Any, perm: tuple[int, ...]) -> Any:
    return x.permute(perm) if isinstance(x, torch.Tensor) and x.dim() == 4 else x


def _to_nhwc(inputs: Inputs) -> Inputs:
    return tuple(
        x.permute(0, 2, 3, 1).contiguous() if isinstance(x, torch.Tensor) and x.dim() == 4 else x
        for x in inputs
    )
