"""Targets: a CPU with its options, what the core has, and how a compiler is told.

`CortexMTargetConfig` takes the place of the class of that name in ExecuTorch's Cortex-M backend.
Sources of the core facts: Arm's technical reference manual of each core.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

from cortorch.errors import TargetError


class Isa(IntEnum):
    """Instruction sets that kernels are written for; a higher one includes the lower ones.

    The values are those of `ct_isa` in ct.h.
    """

    SCALAR = 0
    DSP = 1
    MVE = 2


class Fpu(IntEnum):
    """Floating point in hardware; a higher one includes the lower ones."""

    NONE = 0
    SINGLE = 1
    DOUBLE = 2


@dataclass(frozen=True)
class Core:
    """What a core has when none of its options is left out."""

    isa: Isa = Isa.SCALAR
    fpu: Fpu = Fpu.NONE
    mainline: bool = True
    """Has fault status registers, configurable fault handlers and the DWT cycle counter."""
    vtor: bool = True
    stack_limit: bool = False
    """Has MSPLIM (Armv8-M)."""
    caches: bool = False
    loop_cache: bool = False
    """CCR.LOB switches the low-overhead-branch cache (Armv8.1-M)."""


_V8M = Core(isa=Isa.DSP, fpu=Fpu.SINGLE, stack_limit=True)
_V81M = Core(
    isa=Isa.MVE,
    fpu=Fpu.DOUBLE,
    stack_limit=True,
    caches=True,
    loop_cache=True,
)


class CortexM(Enum):
    """The CPUs; the value is what compilers call them."""

    M0 = "cortex-m0"
    M0PLUS = "cortex-m0plus"
    M3 = "cortex-m3"
    M4 = "cortex-m4"
    M7 = "cortex-m7"
    M23 = "cortex-m23"
    M33 = "cortex-m33"
    M35P = "cortex-m35p"
    M55 = "cortex-m55"
    M85 = "cortex-m85"

    @property
    def core(self) -> Core:
        return _CORES[self]


_CORES = {
    CortexM.M0: Core(mainline=False, vtor=False),
    CortexM.M0PLUS: Core(mainline=False),
    CortexM.M3: Core(),
    CortexM.M4: Core(isa=Isa.DSP, fpu=Fpu.SINGLE),
    CortexM.M7: Core(isa=Isa.DSP, fpu=Fpu.DOUBLE, caches=True),
    CortexM.M23: Core(mainline=False, stack_limit=True),
    CortexM.M33: _V8M,
    CortexM.M35P: _V8M,
    CortexM.M55: _V81M,
    CortexM.M85: _V81M,
}

# What -mcpu calls the absence of an option, from the highest that is absent to the lowest.
_WITHOUT_ISA = {Isa.MVE: "+nomve", Isa.DSP: "+nodsp"}


@dataclass(frozen=True)
class CortexMTargetConfig:
    """A Cortex-M with its options; `isa` and `fpu` default to the most that the core can have.

    An override that the core cannot have is a TargetError (which is a ValueError, too).
    """

    cpu: CortexM
    isa: Isa = None  # type: ignore[assignment]  # set by __post_init__
    fpu: Fpu = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        core = self.cpu.core
        for name, most in (("isa", core.isa), ("fpu", core.fpu)):
            chosen = getattr(self, name)
            if chosen is None:
                object.__setattr__(self, name, most)
            elif chosen > most:
                raise TargetError(
                    f"{self.cpu.value} cannot have {name} {chosen.name.lower()}; "
                    f"the most it has is {most.name.lower()}"
                )

    @property
    def backend(self) -> Isa:
        """ExecuTorch's name for `isa`."""
        return self.isa

    @property
    def target_string(self) -> str:
        """`cortex-m<variant>`; the inverse of `from_target_string`."""
        return self.cpu.value

    @classmethod
    def from_target_string(cls, target: str) -> CortexMTargetConfig:
        try:
            return cls(CortexM(target))
        except ValueError:
            names = ", ".join(cpu.value for cpu in CortexM)
            raise TargetError(f"unknown target '{target}'; one of: {names}") from None

    @property
    def compile_flags(self) -> list[str]:
        """What selects this CPU, for both clang and GCC."""
        return [f"-mcpu={self.cpu.value}{self._left_out()}", f"-mfloat-abi={self._float_abi()}"]

    def _float_abi(self) -> str:
        return "hard" if self.fpu or self.isa == Isa.MVE else "soft"

    def _left_out(self) -> str:
        core = self.cpu.core
        # Armv7E-M always has DSP: there, scalar kernels are a choice that no compiler knows of.
        isas = [isa for isa in _WITHOUT_ISA if self.isa < isa <= core.isa and core.stack_limit]
        without = "".join(_WITHOUT_ISA[isa] for isa in isas)
        if self.fpu < core.fpu:
            without += "+nofp" if self.fpu == Fpu.NONE else "+nofp.dp"
        return without


@dataclass(frozen=True)
class HostTarget:
    """The PC that builds: portable kernels, compiled by its own compiler."""

    isa: Isa = Isa.SCALAR
    target_string: str = "host"

    @property
    def compile_flags(self) -> list[str]:
        return []


Target = CortexMTargetConfig | HostTarget


def parse_target(text: str) -> Target:
    """`host` or `cortex-m<variant>`."""
    return HostTarget() if text == "host" else CortexMTargetConfig.from_target_string(text)
