"""What a device's fault report means: the exception, its cause, and the source line.

Sources of the bits: Armv7-M and Armv8-M Architecture Reference Manuals, "Configurable Fault Status
Register" and "HardFault Status Register".
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ADDR2LINE = "arm-none-eabi-addr2line"

_EXCEPTIONS = {
    2: "NMI",
    3: "HardFault",
    4: "MemManage fault",
    5: "BusFault",
    6: "UsageFault",
    7: "SecureFault",
}
_STACK_OVERFLOW = 20
_CFSR = {
    0: "instruction fetch from a protected address",
    1: "access to the protected address {mmfar:#010x}",
    3: "protection violation while leaving an exception",
    4: "protection violation while entering an exception",
    5: "protection violation while saving floating-point state",
    8: "instruction fetch from an address where nothing is",
    9: "access to {bfar:#010x}, where nothing is",
    10: "access to an address where nothing is, some instructions earlier",
    11: "bus error while leaving an exception",
    12: "bus error while entering an exception: the stack pointer is wild",
    13: "bus error while saving floating-point state",
    16: "undefined instruction",
    17: "jump to an address that is not Thumb code",
    18: "damaged return address of an exception",
    19: "the coprocessor, FPU or Helium unit is off or absent",
    _STACK_OVERFLOW: "the stack has overflowed",
    24: "unaligned access",
    25: "integer division by zero",
}
_HFSR = {1: "the vector table cannot be read", 31: "debug event without a debugger"}

_REPORT = re.compile(
    r"fault: exception (?P<exception>\d+)(?P<registers>(?: \w+=0x[0-9a-f]+)+)"
    r"(?P<overflow>\s+fault: the stack has overflowed)?(?:\s+fault: (?P<step>in model [^\r\n]*))?"
)


@dataclass(frozen=True)
class Fault:
    exception: int
    registers: Mapping[str, int]
    """By lower-case name; a register that the core does not have is 0, or absent."""
    step: str = ""
    """Model and step that ran, as the device says it."""
    overflow: bool = False
    """The device found its stack overflowed, whatever the registers say."""

    def causes(self) -> list[str]:
        known = {"cfsr": 0, "hfsr": 0, "mmfar": 0, "bfar": 0, **self.registers}
        cfsr = known["cfsr"] | self.overflow << _STACK_OVERFLOW
        return [
            text.format_map(known)
            for table, value in ((_CFSR, cfsr), (_HFSR, known["hfsr"]))
            for bit, text in table.items()
            if value >> bit & 1
        ]

    def explain(self, elf: Path | None = None) -> str:
        """One line for people; source lines come from the image's debug information."""
        name = _EXCEPTIONS.get(self.exception, f"exception {self.exception}")
        parts = [f"{name}: {' and '.join(self.causes()) or 'no cause is recorded'}"]
        for word, register in (("at", "pc"), ("called from", "lr")):
            if address := self.registers.get(register, 0):
                parts.append(f"{word} {address:#010x}{_source(elf, address) if elf else ''}")
        return ", ".join([*parts, self.step] if self.step else parts)


def find(text: str) -> Fault | None:
    """The first fault report in a console's text."""
    match = _REPORT.search(text)
    if match is None:
        return None
    pairs = (pair.split("=") for pair in match["registers"].split())
    registers = {name: int(value, 16) for name, value in pairs}
    return Fault(
        int(match["exception"]), registers, match["step"] or "", match["overflow"] is not None
    )


def _source(elf: Path, address: int) -> str:
    """` in FUNCTION (FILE:LINE)`, or nothing where the tool or the information is not there."""
    if shutil.which(ADDR2LINE) is None:
        return ""
    command = [ADDR2LINE, "-f", "-s", "-e", str(elf), hex(address & ~1)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    function, _, line = result.stdout.strip().partition("\n")
    return f" in {function} ({line})" if function and function != "??" else ""
