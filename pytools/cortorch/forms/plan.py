"""Turns a ``StaticProgram`` into a plan for one target: kernels, parameters, constants, and the
arena."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from cmsis_nn_ops.op_def import Kernel
from cortorch.errors import BakeError
from cortorch.forms import arena
from cortorch.forms.arena import Buffer
from cortorch.forms.ir import Call, StaticProgram, Value
from cortorch.target import Isa

MAX_OPERANDS = 16
"""CT_MAX_OPERANDS of firmware/runtime/ct.h; a test compares them."""
LIST_MARK = "*"
"""Suffix of an operand that stands for a whole list of tensors; it comes last in the operand
table."""


@dataclass(eq=False)
class Constant:
    """Bytes in flash, shared by all steps that use the same ones."""

    name: str
    data: torch.Tensor
    offset: int = 0


Operand = Buffer | Constant | None


@dataclass(eq=False)
class Step:
    call: Call
    kernel: Kernel
    params: Mapping[str, Any]
    operands: list[Operand]
    output_index: int
    scratch_bytes: int


@dataclass(eq=False)
class Plan:
    program: StaticProgram
    isa: Isa
    steps: list[Step]
    constants: list[Constant]
    buffers: list[Buffer]
    arena_bytes: int
    arena_lower_bound: int
    homes: dict[Value, Operand] = field(default_factory=dict)
    """Where the storage of each value is."""

    def home(self, value: Value) -> Operand:
        return self.homes[value.storage]

    @property
    def constant_bytes(self) -> int:
        return max((arena.aligned(c.offset + c.data.nbytes) for c in self.constants), default=0)


def operand_order(kernel: Kernel) -> list[str]:
    """Operand names as they stand in the plan's table: as in the C prototype, but a list goes
    last."""
    return sorted(kernel.operands, key=lambda name: name.endswith(LIST_MARK))


def plan(program: StaticProgram, isa: Isa, guard_bytes: int = 0) -> Plan:
    """Chooses kernels for ``isa`` and lays out constants and arena.

    Raises:
        BakeError: a call has no kernel on this target, or more operands than a step may have.
    """
    return _Planner(program, isa).plan(guard_bytes)


class _Planner:
    def __init__(self, program: StaticProgram, isa: Isa) -> None:
        self.program = program
        self.isa = isa
        self.constants: dict[tuple[torch.dtype, bytes], Constant] = {}
        self.names: set[str] = set()
        self.homes: dict[Value, Operand] = {}
        self.buffers: list[Buffer] = []
        self.last_use = self._last_uses()

    def _last_uses(self) -> dict[Value, int]:
        uses: dict[Value, int] = {}
        for number, call in enumerate(self.program.calls):
            for value in call.inputs():
                uses[value.storage] = number
        for port in self.program.outputs:
            uses[port.value.storage] = len(self.program.calls)
        return uses

    def plan(self, guard_bytes: int) -> Plan:
        for port in self.program.inputs:
            self._allocate(port.value, port.name, -1)
        steps = [self._step(number, call) for number, call in enumerate(self.program.calls)]
        for port in self.program.outputs:
            if port.value.storage.data is not None:
                self.homes[port.value.storage] = self._constant(port.name, port.value.storage.data)
        bound = arena.lower_bound(self.buffers)
        size = arena.place(self.buffers, guard_bytes)
        constants = self._place_constants()
        return Plan(self.program, self.isa, steps, constants, self.buffers, size, bound, self.homes)

    def _place_constants(self) -> list[Constant]:
        offset = 0
        for constant in self.constants.values():
            constant.offset = offset
            offset = arena.aligned(offset + constant.data.nbytes)
        return list(self.constants.values())

    def _allocate(self, value: Value, name: str, first: int) -> None:
        storage = value.storage
        buffer = Buffer(name, storage.bytes, first, max(first, self.last_use.get(storage, first)))
        self.buffers.append(buffer)
        self.homes[storage] = buffer

    def _step(self, number: int, call: Call) -> Step:
        args = call.bound()
        kernel = call.op.kernel_for(args, self.isa)
        if kernel is None:
            raise BakeError(
                f"{call.name}: {call.op.name} has no kernel for {self.isa.name} and these arguments"
            )
        packed = kernel.pack(args)
        scratch = kernel.scratch_bytes(args)
        self._place_output(number, call, kernel)
        operands: list[Operand] = []
        order = operand_order(kernel)
        for name in order:
            operands += self._operands(number, call, name, packed, scratch)
        if len(operands) > MAX_OPERANDS:
            raise BakeError(
                f"{call.name}: {len(operands)} operands; a step has at most {MAX_OPERANDS}"
            )
        return Step(call, kernel, kernel.params(args), operands, order.index("out"), scratch)

    def _place_output(self, number: int, call: Call, kernel: Kernel) -> None:
        for name in kernel.in_place:
            source = call.args.get(name)
            if isinstance(source, Value) and self._dies_here(source, number, call):
                home = self.homes[source.storage]
                assert isinstance(home, Buffer)
                home.last = max(number, self.last_use.get(call.out, number))
                self.homes[call.out] = home
                return
        self._allocate(call.out, call.name, number)

    def _dies_here(self, source: Value, number: int, call: Call) -> bool:
        """The step is the last to need the source's bytes, and the output has as many."""
        storage = source.storage
        sole = sum(v.storage is storage for v in call.inputs()) == 1
        home = self.homes.get(storage)
        fits = storage.data is None and storage.bytes == call.out.bytes
        return fits and sole and isinstance(home, Buffer) and home.last == number

    def _operands(
        self, number: int, call: Call, name: str, packed: Mapping[str, torch.Tensor], scratch: int
    ) -> Sequence[Operand]:
        if name == "out":
            return [self.homes[call.out]]
        if name == "scratch":
            return [self._scratch(number, call, scratch)]
        if name in packed:
            return [self._constant(f"{call.name}_{name}", packed[name])]
        argument = call.args[name.removesuffix(LIST_MARK)]
        values = argument if isinstance(argument, list) else [argument]
        return [self._home(call, name, v) for v in values]

    def _home(self, call: Call, name: str, value: Any) -> Operand:
        if value is None:
            return None
        if not isinstance(value, Value):
            raise BakeError(f"{call.name}: operand {name!r} is not a tensor")
        if value.storage.data is not None:
            return self._constant(f"{call.name}_{name.removesuffix(LIST_MARK)}", value.storage.data)
        return self.homes[value.storage]

    def _scratch(self, number: int, call: Call, size: int) -> Operand:
        if size == 0:
            return None
        buffer = Buffer(f"{call.name}_scratch", size, number, number)
        self.buffers.append(buffer)
        return buffer

    def _constant(self, name: str, data: torch.Tensor) -> Constant:
        data = data.contiguous()
        key = data.dtype, data.numpy().tobytes()
        if key not in self.constants:
            unique = name
            while unique in self.names:
                unique += "_"
            self.names.add(unique)
            self.constants[key] = Constant(unique, data)
        return self.constants[key]
