"""What each step of an inference costs on a board.

An emulator counts instructions, by address: functions, kinds of instructions and an estimate of the
cycles follow from the image. A real board counts cycles. Neither needs anything in the firmware.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from cortorch.device import Array, Device
from cortorch.errors import DifferenceError
from cortorch.forms.ir import Port
from cortorch.forms.plan import Constant, Step, plan
from cortorch.images.board import Board, load_board
from cortorch.measure.count import RunCount
from cortorch.measure.disassembly import Instruction, disassemble
from cortorch.measure.timing import estimated_cycles, peak_macs_per_cycle, timing_of
from cortorch.program import Program

MEASURED = "counted by the core"


@dataclass(frozen=True)
class Cost:
    """Of one step, or of what the executor does between them."""

    insns: int | None = None
    """None on a real board."""
    cycles: float | None = None
    """None where there is no model of the core."""
    functions: Mapping[str, int] | None = None
    """Instructions by function."""
    kinds: Mapping[str, int] | None = None
    """Instructions by kind."""


@dataclass(frozen=True)
class Row:
    node: str
    operator: str
    kernel: str
    dtype: str
    shape: tuple[int, ...]
    """Of the output, as `dtype`."""
    macs: int
    moved_bytes: int
    """Inputs, constants and output, each once."""
    cost: Cost


@dataclass(frozen=True)
class Profile:
    model: str
    board: str
    target: str
    clock_hz: int
    cycles_source: str
    """Where cycles come from: counted, or the model by which they are estimated."""
    peak_macs_per_cycle: float
    rows: Sequence[Row]
    executor: Cost
    """What is not part of any step."""

    @property
    def macs(self) -> int:
        return sum(row.macs for row in self.rows)

    @property
    def moved_bytes(self) -> int:
        return sum(row.moved_bytes for row in self.rows)

    @property
    def insns(self) -> int | None:
        parts = [cost.insns for cost in self._costs()]
        return sum(p for p in parts if p is not None) if None not in parts else None

    @property
    def cycles(self) -> float | None:
        parts = [cost.cycles for cost in self._costs()]
        return sum(p for p in parts if p is not None) if None not in parts else None

    @property
    def is_measured(self) -> bool:
        return self.cycles_source == MEASURED

    def share(self, cost: Cost) -> float:
        """Part of the whole: of the cycles if they are counted, else of the instructions."""
        part, whole = (cost.cycles, self.cycles) if self.is_measured else (cost.insns, self.insns)
        return part / whole if part and whole else 0.0

    def of_limit(self, macs: int, cycles: float | None) -> float | None:
        """Part of the multiply-accumulates that the core could have done in these cycles."""
        return macs / (cycles * self.peak_macs_per_cycle) if cycles and macs else None

    def _costs(self) -> list[Cost]:
        return [*(row.cost for row in self.rows), self.executor]


def profile(
    program: Program,
    on: str,
    inputs: Sequence[torch.Tensor] | None = None,
    runner: str | None = None,
) -> Profile:
    """One inference on a board.

    Args:
        inputs: as ``Program.run`` takes them; random ones if None.
        runner: of the board, if not its default one.

    Raises:
        DifferenceError: an output is not what the reference says.
        DeviceError: a real board that does not count cycles.
    """
    board = load_board(on)
    chosen = program.as_ports(random_inputs(program.inputs) if inputs is None else inputs)
    arrays = [x.contiguous().numpy() for x in chosen]
    counts = board.runner(runner).counts
    with program.session(on, runner, count=counts) as session:
        device = Device(session)
        outputs = device.run(program.name, arrays)
        _check(program, chosen, outputs, on)
        if session.counter is None:
            cycles = device.step_cycles(program.name, arrays)
            steps, executor = [Cost(cycles=n) for n in cycles], Cost(cycles=0)
            source = MEASURED
        else:
            (run,) = session.counter.runs()
            steps, executor, source = _estimate(run, board, disassemble(session.image.elf))
    rows = [
        _row(step, cost)
        for step, cost in zip(plan(program.static, board.target.isa).steps, steps, strict=True)
    ]
    return Profile(
        program.name,
        board.name,
        board.target.target_string,
        board.clock_hz,
        source,
        peak_macs_per_cycle(board.target),
        rows,
        executor,
    )


def random_inputs(ports: Sequence[Port]) -> list[torch.Tensor]:
    """Of the range that each port was quantized for; the same ones every time."""
    g = torch.Generator().manual_seed(0)
    return [_random(port, g) for port in ports]


def _random(port: Port, g: torch.Generator) -> torch.Tensor:
    shape, dtype, q = port.value.shape, port.value.dtype, port.qparams
    if dtype == torch.bool:
        return torch.rand(shape, generator=g) < 0.5
    if not dtype.is_floating_point:
        return torch.randint(-128 if dtype.is_signed else 0, 128, shape, generator=g).to(dtype)
    stored = torch.randint(-128, 128, shape, generator=g)
    return (stored - q.zero_point) * q.scale if q else stored / 128


def _check(
    program: Program, inputs: Sequence[torch.Tensor], outputs: Sequence[Array], on: str
) -> None:
    for port, got, wanted in zip(
        program.outputs, outputs, program.run_flat(list(inputs)), strict=True
    ):
        if got.tobytes() != np.ascontiguousarray(wanted.numpy()).tobytes():
            raise DifferenceError(
                f"{program.name} on {on}: output '{port.name}' is not what the reference says; "
                "`cortorch compare` finds the step"
            )


def _estimate(
    run: RunCount, board: Board, code: Mapping[int, Instruction]
) -> tuple[list[Cost], Cost, str]:
    """Costs of the steps and of the rest, and how their cycles were estimated."""
    timing = timing_of(board.target)

    def cost(executed: Mapping[int, int]) -> Cost:
        functions, kinds = Counter[str](), Counter[str]()
        for address, count in executed.items():
            functions[code[address].function] += count
            kinds[code[address].kind.value] += count
        cycles = None if timing is None else estimated_cycles(timing, code, executed)
        return Cost(
            sum(executed.values()), cycles, dict(functions.most_common()), dict(kinds.most_common())
        )

    rest = run.total_insns - sum(run.step_insns)
    # Those few instructions are known by their number only.
    executor = Cost(rest, None if timing is None else rest)
    source = f"estimated: {timing.source}" if timing else "no model of this core"
    return [cost(step) for step in run.steps], executor, source


def _row(step: Step, cost: Cost) -> Row:
    call = step.call
    activations = [value for value in call.inputs() if value.storage.data is None]
    constants = sum(o.data.nbytes for o in step.operands if isinstance(o, Constant))
    return Row(
        call.name,
        call.op.name,
        step.kernel.function,
        str(call.out.dtype).removeprefix("torch."),
        call.out.shape,
        call.op.macs(call.bound()),
        sum(value.bytes for value in activations) + constants + call.out.bytes,
        cost,
    )
