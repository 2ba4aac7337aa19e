"""``CortexMTester`` on the reference, which keeps programs, inputs and what is expected of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import torch
from executorch.backends.test.harness.stages import StageType
from torch.export import ExportedProgram
from torch.fx import Node

from cortorch import report
from cortorch.edge import graph
from cortorch.forms.ir import Call, StaticProgram
from cortorch.target import CortexMTargetConfig
from cortorch.testing import CortexMSerialize, CortexMTester
from peer.case import Case, Error, Graph, Run

test = current = Case("")
"""The test that runs, and what is recorded now: the test, or a case within it."""
cases: list[Case] = []
"""Those within the test that are done."""


def begin(name: str) -> Case:
    """The case that the test is as a whole."""
    global test, current
    test = current = Case(name)
    cases.clear()
    return test


class RecordingSerialize(CortexMSerialize):
    """The reference in place of a board; boards get the recorded programs later, many at once."""

    def run_artifact(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        leaves = torch.utils._pytree.tree_leaves(tuple(inputs))
        # Copies: a module that works in place changes its inputs when it is run for comparison.
        tensors = [x.detach().clone().contiguous() for x in leaves if isinstance(x, torch.Tensor)]
        static = self.program.static
        outputs = self.program.run_flat(tensors)
        names = Counter(call.op.name for call in static.calls)
        floats = [call.op.name for call in static.calls if _is_inner_float(call, static)]
        current.runs.append(Run(self.program.pte, tensors, outputs, names, floats))
        return outputs


def _is_inner_float(call: Call, program: StaticProgram) -> bool:
    """Works on float32, and is no conversion at an input or output of the program."""
    inputs = [v for v in call.inputs() if v.dtype == torch.float32]
    if not inputs and call.out.dtype != torch.float32:
        return False
    ends = {port.value.storage for port in (*program.inputs, *program.outputs)}
    other = [v for v in (*call.inputs(), call.out) if v.dtype != torch.float32]
    at_boundary = {v.storage for v in (*inputs, call.out) if v.dtype == torch.float32} <= ends
    return not (at_boundary and other)


def _graph_of(program: ExportedProgram) -> Graph:
    nodes = [n for n in graph.calls(program) if not report.is_structural(n)]
    names = Counter(graph.overload_name(n) for n in nodes)
    return Graph(names, [graph.overload_name(n) for n in nodes if _is_inner_float_node(n)])


def _is_inner_float_node(node: Node) -> bool:
    """As ``_is_inner_float``."""
    inputs = [n for n in node.all_input_nodes if n.meta["val"].dtype == torch.float32]
    if node.meta["val"].dtype == torch.float32:
        is_last = all(user.op == "output" for user in node.users)
        return bool(inputs) or not is_last
    return any(n.op != "placeholder" for n in inputs)


class RecordingTester(CortexMTester):
    """What the suites get in place of upstream's tester."""

    def __init__(
        self,
        module: torch.nn.Module,
        example_inputs: Any,
        target_config: CortexMTargetConfig | None = None,
        timeout: int = 120,
    ) -> None:
        super().__init__(module, example_inputs, target_config, timeout)
        self.stage_classes[StageType.SERIALIZE] = RecordingSerialize

    def check_count(self, input: dict[Any, int]) -> Any:
        """Upstream counts the nodes of its own graphs; ours are others."""
        return self._noting(super().check_count, input)

    def check_not(self, input: list[str]) -> Any:
        return self._noting(super().check_not, input)

    def _noting(self, check: Callable[[Any], Any], given: Any) -> Any:
        try:
            check(given)
        except RuntimeError:
            current.notes.append(f"{self.cur}: other nodes than {sorted(given)}")
        return self

    def run_method_and_compare_outputs(self, *args: Any, **kwargs: Any) -> Any:
        given = self._inputs_of(kwargs)
        result = super().run_method_and_compare_outputs(*args, **{**kwargs, "inputs": given})
        if self.cur == StageType.RUN_PASSES:
            current.graphs.append(_graph_of(self.get_artifact().exported_program()))
        if self.cur == StageType.SERIALIZE and current.runs:
            current.runs[-1].error = self._error_against_float(given, current.runs[-1])
        return result

    def _inputs_of(self, kwargs: dict[str, Any]) -> Any:
        """As the base class chooses them: it draws random ones where none are given."""
        given = kwargs.get("inputs")
        return given if given is not None else next(self.generate_random_inputs())

    def _compare_outputs(  # type: ignore[override]
        self,
        reference_output: Any,
        stage_output: Any,
        quantization_scale: float | None = None,
        atol: float = 1e-3,
        rtol: float = 1e-3,
        qtol: int = 0,
        statistics_callback: Any = None,
    ) -> None:
        """The base class's comparison; the tolerance that it comes to is kept for the boards."""
        if self.cur == StageType.SERIALIZE and current.runs:
            run = current.runs[-1]
            run.expected = torch.utils._pytree.tree_leaves(reference_output)
            run.atol, run.rtol = atol + (quantization_scale or 0.0) * qtol, rtol
        CortexMTester._compare_outputs(
            reference_output,
            stage_output,
            quantization_scale,
            atol,
            rtol,
            qtol,
            statistics_callback,
        )

    def _error_against_float(self, inputs: Any, run: Run) -> Error | None:
        with torch.no_grad():
            wanted = torch.utils._pytree.tree_leaves(self.original_module(*inputs))
        return _error(wanted, run, self.stages[StageType.SERIALIZE].program.static)


def _error(wanted: list[torch.Tensor], run: Run, program: StaticProgram) -> Error | None:
    pairs = [
        (w, g)
        for w, g in zip(wanted, run.reference, strict=False)
        if w.dtype == g.dtype == torch.float32
    ]
    if not pairs:
        return None
    noise = torch.cat([(w - g).flatten().double() for w, g in pairs])
    signal = torch.cat([w.flatten().double() for w, _ in pairs])
    scales = [_scale(program, i) for i in range(len(run.reference))]
    steps = [
        float((w - g).abs().max() / s) if s else None
        for w, g, s in zip(wanted, run.reference, scales, strict=False)
        if w.numel()
    ]
    known = [s for s in steps if s is not None]
    ratio = signal.square().sum() / noise.square().sum()
    return Error(max(known) if known else None, float(10 * torch.log10(ratio)))


def _scale(program: StaticProgram, output: int) -> float | None:
    """Of the int8 values that an output is made from."""
    storage = program.outputs[output].value.storage
    for call in program.calls:
        if call.out.storage is storage and any(v.dtype == torch.int8 for v in call.inputs()):
            scale = call.args.get("scale")
            return float(scale) if isinstance(scale, float) else None
    return None
