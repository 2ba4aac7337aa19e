"""``CortexMTester``: ExecuTorch's test harness on this dialect and on a board.

Takes the place of the class of that name in ExecuTorch's Cortex-M backend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from executorch.backends.test.harness import Tester
from executorch.backends.test.harness.stages import (
    Export,
    Quantize,
    RunPasses,
    Serialize,
    Stage,
    StageType,
    ToEdge,
    ToEdgeTransformAndLower,
    ToExecutorch,
)
from executorch.exir import ExecutorchProgramManager
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from cortorch.edge.compile_config import cortex_m_edge_compile_config
from cortorch.edge.pass_manager import CortexMPassManager
from cortorch.images.board import default_board
from cortorch.program import Program
from cortorch.quantization.quantizer import CortexMQuantizer
from cortorch.quantization.rewrites import (
    batch_norm,
)
from cortorch.target import CortexM, CortexMTargetConfig


class CortexMQuantize(Quantize):
    """Calibrates with the samples, or with the tester's inputs."""

    def __init__(self, calibration_samples: Sequence[Any] | None = None) -> None:
        super().__init__(CortexMQuantizer(), calibration_samples=calibration_samples)

    def run(self, artifact: torch.nn.Module, inputs: Any = None) -> None:
        captured = torch.export.export(artifact, inputs, strict=False).module()
        batch_norm.isolate(captured)
        prepared = prepare_pt2e(captured, self.quantizer)
        with torch.no_grad():
            for sample in self.calibration_samples or [inputs]:
                prepared(*sample)
        self.converted_graph = convert_pt2e(prepared)


class CortexMExport(Export):
    """As ``cortorch.export`` captures, not by way of TorchDynamo."""

    def run(self, artifact: torch.nn.Module, inputs: Any) -> None:
        self.exported_program = torch.export.export(
            artifact, inputs, dynamic_shapes=self.dynamic_shapes, strict=False
        )


class CortexMToEdge(ToEdge):
    def __init__(self) -> None:
        super().__init__(cortex_m_edge_compile_config())


class CortexMRunPasses(RunPasses):
    def __init__(self, target_config: CortexMTargetConfig | None = None) -> None:
        manager = partial(CortexMPassManager, target_config=target_config)
        super().__init__(manager, CortexMPassManager.pass_list)


class CortexMToEdgeTransformAndLower(ToEdgeTransformAndLower):
    """``to_edge`` without a partitioner, then the passes."""

    def __init__(self, target_config: CortexMTargetConfig | None = None) -> None:
        super().__init__(edge_compile_config=cortex_m_edge_compile_config())
        self._passes = CortexMRunPasses(target_config)

    def run(self, artifact: Any, inputs: Any = None, generate_etrecord: bool = False) -> None:
        super().run(artifact, inputs, generate_etrecord=generate_etrecord)
        self._passes.run(self.edge_dialect_program, inputs)


class CortexMSerialize(Serialize):
    """The serialized program, run ``on`` a board (the default one), the ``host``, ``executorch`` or
    the ``reference``.

    ``timeout`` is kept for upstream's signature; runs have time-outs of their own.
    """

    def __init__(
        self,
        target_config: CortexMTargetConfig | None = None,
        timeout: int = 120,
        on: str | None = None,
    ) -> None:
        super().__init__()
        self._target = target_config or CortexMTargetConfig(CortexM.M55)
        self._on = on

    def run(self, artifact: ExecutorchProgramManager, inputs: Any = None) -> None:
        super().run(artifact, inputs)
        self.program = Program(bytes(self.buffer), "test", self._target.target_string)

    def run_artifact(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        leaves = torch.utils._pytree.tree_leaves(tuple(inputs))
        tensors = [x.contiguous() for x in leaves if isinstance(x, torch.Tensor)]
        return self.program.run_flat(tensors, on=self._on or default_board())


cortex_m_stage_classes: dict[StageType, Callable[..., Stage]] = {
    StageType.EXPORT: CortexMExport,
    StageType.QUANTIZE: CortexMQuantize,
    StageType.RUN_PASSES: CortexMRunPasses,
    StageType.TO_EDGE: CortexMToEdge,
    StageType.TO_EDGE_TRANSFORM_AND_LOWER: CortexMToEdgeTransformAndLower,
    StageType.TO_EXECUTORCH: ToExecutorch,
    StageType.SERIALIZE: CortexMSerialize,
}


class CortexMTester(Tester):
    """Lowers a module and compares it with the quantized PyTorch graph.

    Args:
        module: in eval mode from here on.
        example_inputs: what ``forward`` takes, or a function that makes it.
        target_config: CPU that the report and the kernels are chosen for.
        timeout: see ``CortexMSerialize``.
    """

    def __init__(
        self,
        module: torch.nn.Module,
        example_inputs: tuple[Any, ...] | Callable[[], tuple[Any, ...]],
        target_config: CortexMTargetConfig | None = None,
        timeout: int = 120,
    ) -> None:
        inputs = example_inputs() if callable(example_inputs) else example_inputs
        target = target_config or CortexMTargetConfig(CortexM.M55)
        self.on: str | None = None
        lower = (StageType.RUN_PASSES, StageType.TO_EDGE_TRANSFORM_AND_LOWER)
        stages = {
            **cortex_m_stage_classes,
            **{kind: partial(cortex_m_stage_classes[kind], target) for kind in lower},
            StageType.SERIALIZE: lambda: CortexMSerialize(target, timeout, self.on),
        }
        super().__init__(module, inputs, stages)

    def test_dialect(
        self,
        ops_before_transforms: Mapping[Any, int],
        ops_after_transforms: Mapping[Any, int],
        qtol: int = 0,
        atol: float = 1e-3,
        calibration_samples: Sequence[Any] | None = None,
        ops_absent_after_transforms: Sequence[str] | None = None,
    ) -> None:
        """Counts operators before and after the passes, and compares the dialect's Python reference
        with the quantized graph: at most ``qtol`` steps of the output scale, or ``atol``."""
        self._to_edge(calibration_samples)
        self.check_count(dict(ops_before_transforms))
        self.run_passes()
        self.check_count(dict(ops_after_transforms))
        self.check_not(list(ops_absent_after_transforms or []))
        self.run_method_and_compare_outputs(inputs=self.example_inputs, qtol=qtol, atol=atol)

    def test_implementation(
        self,
        qtol: int = 0,
        atol: float = 1e-3,
        calibration_samples: Sequence[Any] | None = None,
        on: str | None = None,
    ) -> None:
        """Runs the program ``on`` a board (the default one), the ``host``, ``executorch`` or the
        ``reference``."""
        self.on = on
        self._to_edge(calibration_samples)
        self.run_passes()
        self.to_executorch()
        self.serialize()
        self.run_method_and_compare_outputs(inputs=self.example_inputs, qtol=qtol, atol=atol)

    def _to_edge(self, calibration_samples: Sequence[Any] | None) -> None:
        self.quantize(CortexMQuantize(calibration_samples))
        self.export()
        self.to_edge()


@dataclass
class McuTestCase:
    """A module and what its ``forward`` takes, or a function that makes it."""

    model: torch.nn.Module
    example_inputs: tuple[Any, ...] | Callable[[], tuple[Any, ...]]

    def get_example_inputs(self) -> tuple[Any, ...]:
        return self.example_inputs() if callable(self.example_inputs) else self.example_inputs


def ramp_tensor(start: float, end: float, shape: tuple[int, ...]) -> torch.Tensor:
    """Evenly spaced values from ``start`` to ``end``, in row-major order."""
    return torch.linspace(start, end, torch.Size(shape).numel()).reshape(shape)
