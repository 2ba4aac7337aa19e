"""The instructions of an image, by address: what kind each is, and which function it belongs to.

binutils' objdump reads the machine code; what a core does with an instruction follows from its
name.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cortorch.errors import BuildError, ToolError

OBJDUMP = "arm-none-eabi-objdump"
# The largest M-profile: the smaller ones are parts of it.
_ARCHITECTURE = "armv8.1-m.main"


class Kind(str, Enum):
    """What cores tell apart when they take time. The value is what people read."""

    ALU = "arithmetic"
    LOAD = "load"
    STORE = "store"
    LOAD_MULTIPLE = "load multiple"
    STORE_MULTIPLE = "store multiple"
    MULTIPLY = "multiply"
    MULTIPLY_ADD = "multiply-add"
    MULTIPLY_LONG = "long multiply"
    MULTIPLY_ADD_LONG = "long multiply-add"
    DIVIDE = "divide"
    BRANCH = "branch"
    CALL = "call"
    LOOP = "low-overhead loop end"
    FLOAT = "float"
    FLOAT_MULTIPLY_ADD = "float multiply-add"
    FLOAT_DIVIDE = "float divide"
    VECTOR = "vector arithmetic"
    VECTOR_MULTIPLY = "vector multiply"
    VECTOR_LOAD = "vector load"
    VECTOR_STORE = "vector store"


_CONDITION = "(?:eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?"

# The first that matches the name, without its suffixes of width and type.
_BY_NAME = tuple(
    (re.compile(f"(?:{pattern}){_CONDITION}"), kind)
    for pattern, kind in (
        ("b|bx|cbn?z|tb[bh]", Kind.BRANCH),
        ("blx?", Kind.CALL),
        ("le|letp", Kind.LOOP),
        ("ldrd|v?ldm.*|v?pop", Kind.LOAD_MULTIPLE),
        ("strd|v?stm.*|v?push", Kind.STORE_MULTIPLE),
        ("vld([24].|r[bhwd])", Kind.VECTOR_LOAD),
        ("vst([24].|r[bhwd])", Kind.VECTOR_STORE),
        ("v?ldr.*", Kind.LOAD),
        ("v?str.*", Kind.STORE),
        ("[su]div", Kind.DIVIDE),
        ("umlal|umaal|smls?l.*|smlal.*", Kind.MULTIPLY_ADD_LONG),
        ("[us]mull", Kind.MULTIPLY_LONG),
        ("ml[as]s?|smm?l.*", Kind.MULTIPLY_ADD),
        ("muls?|smu.*|smmulr?", Kind.MULTIPLY),
        ("vdiv|vsqrt", Kind.FLOAT_DIVIDE),
        ("vn?ml[as]|vf?n?m[as]", Kind.FLOAT_MULTIPLY_ADD),
    )
)
_VECTOR_PRODUCT = re.compile("v(q?r?d?mul|r?mlal?|mls|q?r?dml|fma|fms|cmul|cmla).*")
_NO_VECTOR_REGISTER = re.compile("vps[ t]|vpst|vpt.*|vctp|vpnot")

_LINE = re.compile(r"\s*([0-9a-f]+):\t([0-9a-f ]+)\t(\S+)\t?(.*)")
_LABEL = re.compile(r"[0-9a-f]+ <(.+)>:")


@dataclass(frozen=True)
class Instruction:
    kind: Kind
    registers: int
    """Of a load or store of several."""
    always_jumps: bool
    function: str
    previous: int | None
    """Address of the one before it in memory."""
    following: int
    """Address of the one behind it."""


def disassemble(elf: Path) -> dict[int, Instruction]:
    """Every instruction of an image.

    Raises:
        ToolError: objdump is missing.
    """
    if shutil.which(OBJDUMP) is None:
        raise ToolError(f"{OBJDUMP} is not installed; try: apt install binutils-arm-none-eabi")
    command = [OBJDUMP, "--disassemble", f"-m{_ARCHITECTURE}", str(elf)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise BuildError(f"'{' '.join(command)}' failed:\n{result.stderr}")
    return dict(_instructions(result.stdout))


def _instructions(listing: str) -> Iterator[tuple[int, Instruction]]:
    function, previous = "", None
    for line in listing.splitlines():
        if label := _LABEL.fullmatch(line):
            function = label[1].partition(".")[0]
        elif found := _LINE.match(line):
            address = int(found[1], 16)
            size = len(found[2].replace(" ", "")) // 2
            name, operands = found[3].partition(".")[0], found[4].partition("@")[0]
            yield (
                address,
                Instruction(
                    kind_of(name, operands),
                    _registers(operands) if "{" in operands else 2,
                    _always_jumps(name, operands),
                    function,
                    previous,
                    address + size,
                ),
            )
            previous = address


def _always_jumps(name: str, operands: str) -> bool:
    return name in ("b", "bx", "bl", "blx", "tbb", "tbh") or operands.rstrip().endswith("pc}")


def kind_of(name: str, operands: str) -> Kind:
    """Of an instruction without its suffixes."""
    for pattern, kind in _BY_NAME:
        if pattern.fullmatch(name):
            is_vector = kind is Kind.FLOAT_MULTIPLY_ADD and _is_vector(name, operands)
            return Kind.VECTOR_MULTIPLY if is_vector else kind
    if not name.startswith("v"):
        return Kind.ALU
    if not _is_vector(name, operands):
        return Kind.FLOAT
    return Kind.VECTOR_MULTIPLY if _VECTOR_PRODUCT.fullmatch(name) else Kind.VECTOR


def _is_vector(name: str, operands: str) -> bool:
    has_register = re.search(r"\bq\d", operands) is not None
    return has_register or _NO_VECTOR_REGISTER.fullmatch(name) is not None


def _registers(operands: str) -> int:
    """Of a list such as `{r4, r5}` or `{d8-d15}`."""
    listed = operands[operands.index("{") + 1 : operands.index("}")].split(",")
    spans = [re.findall(r"\d+", part) if "-" in part else [] for part in listed]
    return sum(int(span[1]) - int(span[0]) + 1 if span else 1 for span in spans)
