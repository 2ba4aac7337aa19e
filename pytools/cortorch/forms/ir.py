"""The static program: what a .pte says, as plain data, between the reader and the baker.

Values are written once. A value may be a view of another one (same bytes, other shape).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch

from cmsis_nn_ops import Declaration, OpDef
from cmsis_nn_ops.op_def import Args
from cortorch.edge.quant_info import QParams


@dataclass(eq=False)
class Value:
    """A tensor: shape, dtype, and data if it is a constant.

    Axes are in the order of memory. A .pte's tensor may have them in another order.
    """

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype
    data: torch.Tensor | None = None
    view_of: Value | None = None
    order: tuple[int, ...] | None = None
    """For each axis the one of the .pte's tensor; None: as they are."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Shape of the .pte's tensor."""
        if self.order is None:
            return self.shape
        return tuple(self.shape[self.order.index(axis)] for axis in range(len(self.shape)))

    def in_memory(self, tensor: torch.Tensor) -> torch.Tensor:
        """A tensor of ``sizes`` with its axes in the order of memory."""
        return (tensor if self.order is None else tensor.permute(self.order)).contiguous()

    def as_written(self, tensor: torch.Tensor) -> torch.Tensor:
        """A tensor of ``shape`` with its axes as the .pte has them; the bytes stay."""
        if self.order is None:
            return tensor.contiguous()
        return tensor.contiguous().permute([self.order.index(i) for i in range(tensor.dim())])

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
class Written:
    """A call as the .pte has it: perhaps of somebody else's operator."""

    op: Declaration
    args: dict[str, Argument]
    out: Value

    def arguments(self) -> dict[str, Argument]:
        """Those that are not ignored, and ``out``."""
        kept = {name: a for name, a in self.args.items() if name not in self.op.ignored}
        return {**kept, "out": self.out}


@dataclass(eq=False)
class Call:
    """One operator call; ``args`` by schema name."""

    op: OpDef
    args: dict[str, Argument]
    out: Value
    name: str
    translated: Written | None = None
    """What it was, if that was another call."""

    @property
    def written(self) -> Written:
        return self.translated or Written(self.op, self.args, self.out)

    def bound(self) -> Args:
        """Arguments as the operator's callables take them, with ``out``."""
        args = self.op.bind({k: as_tensor(v) for k, v in self.args.items()})
        args.out = self.out.tensor()
        return args

    def inputs(self) -> Iterator[Value]:
        """Every tensor argument, in schema order."""
        for argument in self.args.values():
            yield from values_in(argument)


def values_in(argument: Argument) -> Iterator[Value]:
    """The tensors of an argument, which may be a list of them."""
    for item in argument if isinstance(argument, list) else [argument]:
        if isinstance(item, Value):
            yield item


def as_tensor(argument: Argument) -> Any:
    """An argument as the operators' callables take it."""
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
