"""``CortexMTester``: ExecuTorch's test harness on this dialect and on a board.

Takes the place of the class of that name in ExecuTorch's Cortex-M backend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from executorch.backends.test.harness import Tester
from executorch.backends.test.harness.stages import (
    Export,
    Quantize,
    RunPasses,
    Serialize,
    StageType,
    ToEdge,
    ToEdgeTransformAndLower,
    ToExecutorch,
)
from executorch.exir import ExecutorchProgramManager

from cortorch.board import default_board
from cortorch.compile_config import cortex_m_edge_compile_config
from cortorch.pass_manager import CortexMPassManager
from cortorch.program import Program
from cortorch.quantizer import CortexMQuantizer
from cortorch.target import CortexM, CortexMTargetConfig


class _Quantize(Quantize):
    def __init__(self, calibration_samples: Sequence[Any] | None = None) -> None:
        super().__init__(CortexMQuantizer(), calibration_samples=calibration_samples)


class _RunPasses(RunPasses):
    def __init__(self, target_config: CortexMTargetConfig) -> None:
        manager = partial(CortexMPassManager, target_config=target_config)
        super().__init__(manager, CortexMPassManager.pass_list)


class _ToEdgeTransformAndLower(ToEdgeTransformAndLower):
    """``to_edge`` without a partitioner, then the passes."""

    def __init__(self, target_config: CortexMTargetConfig) -> None:
        super().__init__(edge_compile_config=cortex_m_edge_compile_config())
        self._passes = _RunPasses(target_config)

    def run(self, artifact: Any, inputs: Any = None, generate_etrecord: bool = False) -> None:
        super().run(artifact, inputs, generate_etrecord=generate_etrecord)
        self._passes.run(self.edge_dialect_program, inputs)


class _RunOn(Serialize):
    """The serialized program, run on a board."""

    def __init__(self, on: str, target: str) -> None:
        super().__init__()
        self._on = on
        self._target = target

    def run(self, artifact: ExecutorchProgramManager, inputs: Any = None) -> None:
        super().run(artifact, inputs)
        self.program = Program(bytes(self.buffer), "test", self._target)

    def run_artifact(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        tensors = [
            x for x in torch.utils._pytree.tree_leaves(tuple(inputs)) if isinstance(x, torch.Tensor)
        ]
        return self.program.run_flat([x.contiguous() for x in tensors], on=self._on)


class CortexMTester(Tester):
    """Lowers a module and compares it with the quantized PyTorch graph.

    Args:
        module: in eval mode from here on.
        example_inputs: what ``forward`` takes, or a function that makes it.
        target_config: CPU that the report and the kernels are chosen for.
        timeout: kept for upstream's signature; runs have time-outs of their own.
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
        self.on = default_board()
        stages = {
            StageType.EXPORT: Export,
            StageType.QUANTIZE: _Quantize,
            StageType.RUN_PASSES: partial(_RunPasses, target),
            StageType.TO_EDGE: partial(ToEdge, cortex_m_edge_compile_config()),
            StageType.TO_EDGE_TRANSFORM_AND_LOWER: partial(_ToEdgeTransformAndLower, target),
            StageType.TO_EXECUTORCH: ToExecutorch,
            StageType.SERIALIZE: lambda: _RunOn(self.on, target.target_string),
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
        """Runs the image ``on`` a board (the default board), on the ``host`` or the
        ``reference``."""
        self.on = on or default_board()
        self._to_edge(calibration_samples)
        self.run_passes()
        self.to_executorch()
        self.serialize()
        self.run_method_and_compare_outputs(inputs=self.example_inputs, qtol=qtol, atol=atol)

    def _to_edge(self, calibration_samples: Sequence[Any] | None) -> None:
        self.quantize(_Quantize(calibration_samples))
        self.export()
        self.to_edge()
