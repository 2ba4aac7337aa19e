"""A lowered program: report, file, and runs on the reference, the host or a board."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from executorch.exir import EdgeProgramManager, ExecutorchBackendConfig
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, OutputKind
from torch.utils import _pytree as pytree

from cortorch import report
from cortorch.edge import graph, names
from cortorch.edge.dialect import operator_of
from cortorch.errors import DeviceError
from cortorch.files import write_if_changed
from cortorch.forms import pte
from cortorch.forms.bake import model_name
from cortorch.forms.executorch_form import ExecutorchModel
from cortorch.forms.host import HostLibrary, HostModel
from cortorch.forms.ir import Port, StaticProgram
from cortorch.forms.plan import Plan, plan
from cortorch.on_device.runners.base import ONLY_ONE, Connection
from cortorch.target import parse_target

if TYPE_CHECKING:
    from cortorch.device import Device
    from cortorch.on_device.runners.base import Session

ON_REFERENCE = "reference"
ON_HOST = "host"
ON_EXECUTORCH = "executorch"


def work_dir() -> Path:
    """Where runs keep their build output: $CORTORCH_BUILD_DIR, or build/cortorch in the current
    folder."""
    return Path(os.environ.get("CORTORCH_BUILD_DIR") or Path.cwd() / "build" / "cortorch")


class Program:
    """What ``cortorch.export`` returns. ``pte`` is a standard ExecuTorch program,
    target-neutral."""

    def __init__(
        self,
        data: bytes,
        name: str,
        target: str,
        in_spec: pytree.TreeSpec | None = None,
        out_spec: pytree.TreeSpec | None = None,
        outputs: Sequence[Any] = (),
        sources: dict[str, str] | None = None,
    ) -> None:
        self.pte = data
        self.name = model_name(name)
        self.target = target
        self._in_spec = in_spec
        self._out_spec = out_spec
        self._constants = list(outputs)
        self.static: StaticProgram = pte.read(data)
        self._sources = sources or self.static.sources

    @classmethod
    def load(cls, path: Path | str, target: str = "cortex-m55") -> Program:
        """A program from a .pte file; ``run`` then takes and returns flat tensors."""
        path = Path(path)
        pte.read(path)  # its messages name the file
        return cls(path.read_bytes(), path.stem, target)

    @classmethod
    def from_edge(
        cls, edge: EdgeProgramManager, captured: ExportedProgram, name: str, target: str
    ) -> Program:
        """Serializes a lowered edge program; ``captured`` tells the structure of inputs and
        outputs."""
        lowered = edge.exported_program()
        nodes = [n for n in graph.calls(lowered) if operator_of(n.target) is not None]
        sources = {
            label: names.source_of(n) for label, n in zip(names.assign(nodes), nodes, strict=True)
        }
        config = ExecutorchBackendConfig(remove_view_copy=True)
        data = pte.seal(bytes(edge.to_executorch(config).buffer))
        spec = captured.call_spec
        return cls(
            data, name, target, spec.in_spec, spec.out_spec, _output_slots(captured), sources
        )

    def save(self, path: Path | str) -> Path:
        """Writes the .pte; the file appears whole or not at all."""
        path = Path(path)
        write_if_changed(path, self.pte)
        return path

    @cached_property
    def plan(self) -> Plan:
        """Kernels and arena for ``target``."""
        return plan(self.static, parse_target(self.target).isa)

    @property
    def report(self) -> report.Report:
        """Every node: accelerated or not, why, kernel variant, MACs, bytes."""
        return report.from_plan(self.plan, self.target, self._sources)

    @property
    def inputs(self) -> list[Port]:
        return self.static.inputs

    @property
    def outputs(self) -> list[Port]:
        return self.static.outputs

    def run(
        self,
        *inputs: Any,
        on: str = ON_REFERENCE,
        runner: str | None = None,
        connection: Connection = ONLY_ONE,
    ) -> Any:
        """One inference.

        Args:
            inputs: what ``forward`` takes. An int8 port takes int8, or float32 which is quantized
                here.
            on: ``reference`` (the dialect in Python), ``host`` (the baked C, natively),
                ``executorch`` (the .pte in the ExecuTorch runtime, natively), or the name of a
                board.
            runner: of the board, if not its default one.
            connection: which board it is, where this PC has several.

        Returns:
            What ``forward`` returns. An int8 output is dequantized if every input came as float.

        Raises:
            DeviceError: wrong number, shape or dtype of inputs; or the device failed.
        """
        flat = self._flatten(inputs)
        raw = self._run_flat([x for x, _ in flat], on, runner, connection)
        to_float = all(was_float for _, was_float in flat)
        return self._unflatten(
            [
                port.value.as_written(_dequantized(y, port) if to_float else y)
                for y, port in zip(raw, self.outputs, strict=True)
            ]
        )

    def run_flat(
        self, inputs: Sequence[torch.Tensor], on: str = ON_REFERENCE
    ) -> list[torch.Tensor]:
        """One inference on tensors as the program itself takes and returns them, no structure, no
        conversion."""
        return self._run_flat(list(inputs), on)

    def as_ports(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        """Inputs of ``run`` as the program's own tensors: flat, an int8 port's quantized."""
        return [x for x, _ in self._flatten(tuple(inputs))]

    def source_of(self, node: str) -> str:
        """Line of the model's source that a node comes from; empty if it is not known."""
        return self._sources.get(node, "")

    def _run_flat(
        self,
        inputs: list[torch.Tensor],
        on: str,
        runner: str | None = None,
        connection: Connection = ONLY_ONE,
    ) -> list[torch.Tensor]:
        if on == ON_REFERENCE:
            return self.static.run_reference(*inputs)
        if on == ON_HOST:
            return self.host.run(*inputs)
        if on == ON_EXECUTORCH:
            return self._run_in_executorch(inputs)
        with self.device(on, runner, connection) as device:
            arrays = device.run(self.name, [x.contiguous().numpy() for x in inputs])
        return [torch.from_numpy(a.copy()) for a in arrays]

    def _run_in_executorch(self, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
        written = [p.value.as_written(x) for p, x in zip(self.inputs, inputs, strict=True)]
        results = ExecutorchModel(self.host).run(self.pte, *written)
        return [p.value.in_memory(y) for p, y in zip(self.outputs, results, strict=True)]

    @cached_property
    def host(self) -> HostModel:
        """The baked C in this process."""
        return HostLibrary({self.name: self.static}, self._folder("host")).models[self.name]

    def _folder(self, where: str) -> Path:
        digest = hashlib.sha256(self.pte).hexdigest()[:12]
        return work_dir() / f"{self.name}-{digest}" / where / self.name

    @contextmanager
    def device(
        self, on: str, runner: str | None = None, connection: Connection = ONLY_ONE
    ) -> Iterator[Device]:
        """The board of that name, with this program in its validate app."""
        from cortorch.device import Device

        with self.session(on, runner, connection=connection) as session:
            device = Device(session)
            device.expect(self.name, self.static.pte_sha256.hex())
            yield device

    def session(
        self,
        on: str,
        runner: str | None = None,
        *,
        count: bool = False,
        connection: Connection = ONLY_ONE,
    ) -> Session:
        """The same board as a byte stream. ``count``: let it count instructions (QEMU only)."""
        from cortorch.images import image
        from cortorch.images.board import load_board

        board = load_board(on)
        chosen, folder = board.runner(runner), self._folder(on)
        built = image.Image(board, folder)
        if chosen.writes:
            model = folder.parent / f"{self.name}.pte"
            write_if_changed(model, self.pte)
            built = image.build(board, {self.name: model}, "validate", folder)
        return chosen.start(built, count=count, connection=connection)

    def _flatten(self, inputs: tuple[Any, ...]) -> list[tuple[torch.Tensor, bool]]:
        """(tensor for the port, whether it came as float), in the order of the ports."""
        leaves, spec = pytree.tree_flatten((inputs, {}))
        if self._in_spec is not None and spec != self._in_spec:
            raise DeviceError(
                f"{self.name} takes inputs of the structure {self._in_spec}, not {spec}"
            )
        tensors = [x for x in leaves if isinstance(x, torch.Tensor)]
        if len(tensors) != len(self.inputs):
            raise DeviceError(f"{self.name} takes {len(self.inputs)} tensors, not {len(tensors)}")
        return [_for_port(x, port) for x, port in zip(tensors, self.inputs, strict=True)]

    def _unflatten(self, results: list[torch.Tensor]) -> Any:
        if self._out_spec is None:
            return results
        rest = iter(results)
        leaves = [next(rest) if slot is _TENSOR else slot for slot in self._constants]
        return pytree.tree_unflatten(leaves, self._out_spec)


_TENSOR = object()
"""Stands for a tensor among the outputs; anything else there is a constant of the graph."""


def _output_slots(captured: ExportedProgram) -> list[Any]:
    specs = [s for s in captured.graph_signature.output_specs if s.kind == OutputKind.USER_OUTPUT]
    return [s.arg.value if isinstance(s.arg, ConstantArgument) else _TENSOR for s in specs]


def _for_port(x: torch.Tensor, port: Port) -> tuple[torch.Tensor, bool]:
    value, was_float = port.value, x.dtype == torch.float32
    if tuple(x.shape) != value.sizes:
        raise DeviceError(
            f"input {port.name!r} has shape {list(x.shape)}; the program takes {list(value.sizes)}"
        )
    x = value.in_memory(x)
    if was_float and value.dtype == torch.int8 and port.qparams is not None:
        q = port.qparams
        steps = torch.round(x / q.scale) + q.zero_point
        return steps.clamp(-128, 127).to(torch.int8), True
    if x.dtype != value.dtype:
        raise DeviceError(f"input {port.name!r} is {x.dtype}; the program takes {value.dtype}")
    return x, was_float


def _dequantized(y: torch.Tensor, port: Port) -> torch.Tensor:
    if port.qparams is None or y.dtype != torch.int8:
        return y
    return (y.to(torch.float32) - port.qparams.zero_point) * port.qparams.scale
