"""The static program: what a .pte says, as plain data, between the reader and the baker.

Values are written once. A value may be a view of another one (same bytes, other shape).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch

from cmsis_nn_ops import OpDef
from cmsis_nn_ops.op_def import Args
from cortorch.quant_info import QParams


@dataclass(eq=False)
class Value:
    """A tensor: shape, dtype, and data if it is a constant."""

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype
    data: torch.Tensor | None = None
    view_of: Value | None = None

    @property
    def bytes(self) -> int:
        return self.dtype.itemsize * torch.Size(self.shape).numel()

    @property
    def storage(self) -> Value:
        """The value that owns the bytes."""
        return self.view_of.storage if self.view_of is not None else self

    def tensor(self) -> torch.Tensor:
        """The data of a constant, or a meta tensor of the same shape and dtype."""
        constant = self.storage.data
        if constant is not None:
            return constant.reshape(self.shape)
        return torch.empty(self.shape, dtype=self.dtype, device="meta")


Argument: TypeAlias = (
    Value | list[Value] | int | float | bool | str | torch.dtype | list[int] | list[float] | None
)


@dataclass(eq=False)
class Call:
    """One operator call; ``args`` by schema name."""

    op: OpDef
    args: dict[str, Argument]
    out: Value
    name: str

    def bound(self) -> Args:
        """Arguments as the operator's callables take them, with ``out``."""
        args = self.op.bind({k: _as_tensor(v) for k, v in self.args.items()})
        args.out = self.out.tensor()
        return args

    def inputs(self) -> Iterator[Value]:
        """Every tensor argument, in schema order."""
        for argument in self.args.values():
            if isinstance(argument, Value):
                yield argument
            elif isinstance(argument, list):
                yield from (v for v in argument if isinstance(v, Value))


def _as_tensor(argument: Argument) -> Any:
    if isinstance(argument, Value):
        return argument.tensor()
    if isinstance(argument, list):
        return [v.tensor() if isinstance(v, Value) else v for v in argument]
    return argument


@dataclass(eq=False)
class Port:
    """An input or output of the program as the user sees it."""

    name: str
    value: Value
    qparams: QParams | None = None


@dataclass(eq=False)
class StaticProgram:
    """A method of a .pte: calls in execution order."""

    name: str
    calls: list[Call]
    inputs: list[Port]
    outputs: list[Port]
    pte_sha256: bytes = bytes(32)
    metadata: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    """Line of the model's source by name of the call, as far as the .pte says."""

    def run_reference(self, *inputs: torch.Tensor) -> list[torch.Tensor]:
        """Executes every call with the operators' Python references."""
        run = _ReferenceRun(self, inputs)
        deque(run.steps(), maxlen=0)
        return [run.get(port.value) for port in self.outputs]

    def trace(self, *inputs: torch.Tensor) -> Iterator[torch.Tensor]:
        """The same, and yields what each call makes."""
        return _ReferenceRun(self, inputs).steps()


class _ReferenceRun:
    def __init__(self, program: StaticProgram, inputs: tuple[torch.Tensor, ...]) -> None:
        self._calls = program.calls
        self._results: dict[Value, torch.Tensor] = {
            port.value.storage: x for port, x in zip(program.inputs, inputs, strict=True)
        }

    def get(self, argument: Argument) -> Any:
        if isinstance(argument, Value):
            owner = argument.storage
            data = owner.data if owner.data is not None else self._results[owner]
            return data.reshape(argument.shape)
        if isinstance(argument, list):
            return [self.get(v) for v in argument]
        return argument

    def steps(self) -> Iterator[torch.Tensor]:
        for call in self._calls:
            args = call.op.bind({name: self.get(value) for name, value in call.args.items()})
            result = call.op.reference(args).contiguous()
            self._results[call.out.storage] = result
            yield result
