"""Cycles of an inference, estimated from what was executed: one small table for each core.

An estimate, never a measurement: memory answers at once, and no cache misses. What a table leaves
out is said beside it. Limits are int8 multiply-accumulates per cycle, if the core did nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cortorch.measure.disassembly import Instruction, Kind
from cortorch.target import CortexM, Isa, Target


@dataclass(frozen=True)
class Timing:
    source: str
    cycles: Mapping[Kind, float] = field(default_factory=dict)
    """Of each kind; of loads and stores of several registers, without the registers."""
    otherwise: float = 1
    """Cycles of the kinds that are not named."""
    per_register: float = 1
    jump: float = 0
    """More cycles where a branch, call or return is taken."""
    follows: Mapping[tuple[Kind, Kind], float] = field(default_factory=dict)
    """Cycles of the second kind right behind the first, if they are other ones."""

    def of(self, instruction: Instruction, previous: Instruction | None) -> float:
        """Cycles of an instruction that does not jump."""
        kind = instruction.kind
        cycles = self.cycles.get(kind, self.otherwise)
        if previous is not None:
            cycles = self.follows.get((previous.kind, kind), cycles)
        if kind in (Kind.LOAD_MULTIPLE, Kind.STORE_MULTIPLE):
            cycles += self.per_register * instruction.registers
        return cycles


# "Instruction timings": multiplication as in the option with the fast multiplier.
_M0 = Timing(
    "Cortex-M0 TRM (DDI 0432), 3.3",
    {Kind.LOAD: 2, Kind.STORE: 2, Kind.CALL: 2},
    jump=2,
)
_M0PLUS = Timing(
    "Cortex-M0+ TRM (DDI 0484), 3.3",
    {Kind.LOAD: 2, Kind.STORE: 2, Kind.CALL: 2},
    jump=1,
)
# A load right behind a load takes one cycle less. Where a range is given: long products the least,
# since operands are small; divisions the middle; two cycles to refill the pipeline.
_PIPELINED = {(Kind.LOAD, Kind.LOAD): 1.0, (Kind.LOAD, Kind.STORE): 1.0}
_M3 = Timing(
    "Cortex-M3 TRM (DDI 0337), instruction timings",
    {
        Kind.LOAD: 2,
        Kind.MULTIPLY_ADD: 2,
        Kind.MULTIPLY_LONG: 3,
        Kind.MULTIPLY_ADD_LONG: 4,
        Kind.DIVIDE: 7,
    },
    jump=2,
    follows=_PIPELINED,
)
_M4_CYCLES = {
    Kind.LOAD: 2,
    Kind.DIVIDE: 7,
    Kind.FLOAT_MULTIPLY_ADD: 3,
    Kind.FLOAT_DIVIDE: 14,
}
_M4 = Timing(
    "Cortex-M4 TRM (DDI 0439), instruction and FPU timings", _M4_CYCLES, jump=2, follows=_PIPELINED
)
_M33 = Timing(
    "none published for Cortex-M33: the table of Cortex-M4",
    _M4_CYCLES,
    jump=2,
    follows=_PIPELINED,
)
# Two instructions a cycle, but one multiplication or float operation; branches are predicted.
_M7 = Timing(
    "none published for Cortex-M7: every two instructions in one cycle but products, at the least",
    {
        Kind.MULTIPLY: 1,
        Kind.MULTIPLY_ADD: 1,
        Kind.MULTIPLY_LONG: 1,
        Kind.MULTIPLY_ADD_LONG: 1,
        Kind.DIVIDE: 7,
        Kind.FLOAT: 1,
        Kind.FLOAT_MULTIPLY_ADD: 1,
        Kind.FLOAT_DIVIDE: 14,
    },
    otherwise=0.5,
    per_register=0.5,
    jump=0.5,
)
_PIPES = (
    (Kind.VECTOR_LOAD, Kind.VECTOR_STORE),
    (Kind.VECTOR_MULTIPLY,),
    (Kind.VECTOR,),
)
# A vector instruction takes two cycles, of which the second is shared with the first of a vector
# instruction that another pipe executes. A loop's end costs nothing once the loop is known.
_M55 = Timing(
    "Cortex-M55 TRM (101051): two beats a cycle, unlike instructions overlap",
    {
        **{kind: 2 for pipe in _PIPES for kind in pipe},
        Kind.DIVIDE: 7,
        Kind.FLOAT_DIVIDE: 14,
        Kind.LOOP: 0,
    },
    jump=2,
    follows={
        (before, behind): 1.0
        for pipe in _PIPES
        for before in pipe
        for other in _PIPES
        for behind in other
        if other is not pipe
    },
)

TIMINGS = {
    CortexM.M0: _M0,
    CortexM.M0PLUS: _M0PLUS,
    CortexM.M3: _M3,
    CortexM.M4: _M4,
    CortexM.M7: _M7,
    CortexM.M33: _M33,
    CortexM.M55: _M55,
}


def timing_of(target: Target) -> Timing | None:
    """None for cores that have no table."""
    cpu = getattr(target, "cpu", None)
    return TIMINGS.get(cpu) if isinstance(cpu, CortexM) else None


def peak_macs_per_cycle(target: Target) -> float:
    """What the instruction set allows: products of 8-bit numbers that are summed up in a cycle.

    MVE: VMLADAVA of 16 pairs in two cycles. DSP: SMLAD of two pairs. Else MLA, and without it MULS
    and ADDS.
    """
    if target.isa == Isa.MVE:
        return 8
    if target.isa == Isa.DSP:
        return 2
    cpu = getattr(target, "cpu", None)
    return 1 if isinstance(cpu, CortexM) and cpu.core.mainline else 0.5


def estimated_cycles(
    timing: Timing, code: Mapping[int, Instruction], executed: Mapping[int, int]
) -> float:
    """Cycles of what was executed, by address.

    A conditional branch was taken as often as it was executed more often than what follows it.
    """
    return sum(
        count * _cycles(timing, code, address) + timing.jump * _jumps(code, executed, address)
        for address, count in executed.items()
        if address in code
    )


def _cycles(timing: Timing, code: Mapping[int, Instruction], address: int) -> float:
    instruction = code[address]
    previous = None if instruction.previous is None else code[instruction.previous]
    return timing.of(instruction, previous)


def _jumps(code: Mapping[int, Instruction], executed: Mapping[int, int], address: int) -> int:
    instruction = code[address]
    count = executed[address]
    if instruction.always_jumps:
        return count
    if instruction.kind is not Kind.BRANCH:
        return 0
    return max(0, count - executed.get(instruction.following, 0))
