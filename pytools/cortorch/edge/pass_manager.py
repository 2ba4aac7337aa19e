"""``CortexMPassManager``: the pipeline of ``passes`` as ExecuTorch's ``transform_passes``."""

from __future__ import annotations

from collections.abc import Sequence

from executorch.exir.pass_base import ExportedProgramPassBase, ExportedProgramPassResult
from executorch.exir.pass_manager import ExportedProgramPassManager
from torch._export.verifier import Verifier
from torch.export import ExportedProgram
from torch.fx import GraphModule

from cortorch.edge import checker
from cortorch.edge.graph import Pass
from cortorch.edge.passes import (
    ORDER,
)
from cortorch.errors import CorTorchError
from cortorch.quantization import annotation
from cortorch.target import CortexM, CortexMTargetConfig


class CortexMPass(ExportedProgramPassBase):
    """One pass of the pipeline, followed by the dialect checker."""

    def __init__(self, name: str, run: Pass) -> None:
        self.name = name
        self._run = run

    def call(self, exported_program: ExportedProgram) -> ExportedProgramPassResult:
        self._run(exported_program)
        exported_program.graph_module.recompile()
        return ExportedProgramPassResult(exported_program, True)

    def ensures(self, exported_program: ExportedProgram) -> None:
        checker.check(exported_program, self.name)


def default_passes() -> list[CortexMPass]:
    return [CortexMPass(name, run) for name, run in ORDER]


class CortexMPassManager(ExportedProgramPassManager):
    """Lowers a quantized edge program to the ``cortex_m::`` dialect.

    Takes the place of the class of that name in ExecuTorch's Cortex-M backend: pass an instance as
    ``to_edge_transform_and_lower(..., transform_passes=CortexMPassManager())``, or give it an
    exported program and call ``transform()``.

    Args:
        exported_program: for ``transform()`` only.
        passes: replaces the pipeline (``default_passes()``).
        target_config: kept for upstream's signature. A program is target-neutral: ``bake`` chooses
            the kernels.
        use_explicit_layout: kept for upstream's signature. Layout is always explicit.
    """

    pass_list = default_passes()

    def __init__(
        self,
        exported_program: ExportedProgram | None = None,
        passes: Sequence[ExportedProgramPassBase] | None = None,
        target_config: CortexMTargetConfig | None = None,
        use_explicit_layout: bool = True,
    ) -> None:
        super().__init__(list(default_passes() if passes is None else passes))
        self.exported_program = exported_program
        self.target_config = target_config or CortexMTargetConfig(CortexM.M55)
        self.use_explicit_layout = use_explicit_layout

    def __call__(
        self,
        exported_program: ExportedProgram,
        override_verifiers: list[type[Verifier]] | None = None,
    ) -> ExportedProgramPassResult:
        """Runs the pipeline; our own errors arrive as they are, not wrapped in a bare Exception."""
        try:
            return super().__call__(exported_program, override_verifiers)
        except Exception as error:
            if isinstance(error.__cause__, CorTorchError):
                raise error.__cause__ from None
            raise

    def transform(self) -> ExportedProgram:
        """The lowered program.

        Raises:
            ValueError: the manager was made without an exported program.
        """
        if self.exported_program is None:
            raise ValueError(
                "CortexMPassManager.transform() needs an exported_program in the constructor"
            )
        result: ExportedProgram = self(self.exported_program).exported_program
        return result

    def transform_for_annotation(self, model: GraphModule) -> GraphModule:
        """What ``CortexMQuantizer`` does to the captured module before it annotates."""
        return annotation.transform_for_annotation(model)
