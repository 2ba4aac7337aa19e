"""Reads the C header of an operator: its parameter struct and its prototypes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cmsis_nn_ops import OpDef

OPS = Path(__file__).resolve().parent.parent / "cmsis_nn_ops"


@dataclass(frozen=True)
class Field:
    ctype: str
    length: int | None
    """Elements of an array; None for a number."""


class Header:
    """The struct and the prototypes of ``<op>.h``, read as the C subset that these headers are."""

    def __init__(self, op: OpDef) -> None:
        self.op = op
        path = OPS / op.name / f"{op.name}.h"
        self.text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)

    def fields(self) -> dict[str, Field]:
        pattern = rf"typedef struct ct_{self.op.name}_params \{{(.*?)\}} ct_{self.op.name}_params;"
        body = re.search(pattern, self.text, re.DOTALL)
        declarations = re.findall(r"(\w+) ([^;]+);", body.group(1)) if body else []
        return {
            name: Field(ctype, None if length is None else self._number(length))
            for ctype, names in declarations
            for name, length in map(self._declarator, names.split(","))
        }

    @staticmethod
    def _declarator(text: str) -> tuple[str, str | None]:
        name, length = re.fullmatch(r"\s*(\w+)(?:\[(\w+)\])?\s*", text).groups()  # type: ignore[union-attr]
        return name, length

    def _number(self, text: str) -> int:
        if text.isdigit():
            return int(text)
        for path in [
            OPS / self.op.name / f"{self.op.name}.h",
            *sorted((OPS / "support").glob("*.h")),
        ]:
            found = re.search(rf"#define {text} (\d+)", path.read_text(encoding="utf-8"))
            if found:
                return int(found.group(1))
        raise AssertionError(f"{text} is not defined as a number")

    def prototype(self, function: str) -> list[tuple[str, str]]:
        """(type, name) of the parameters."""
        found = re.search(rf"ct_status\s+{function}\(([^)]*)\);", self.text)
        assert found is not None, f"{function} has no prototype in {self.op.name}.h"
        texts = [" ".join(p.split()) for p in found.group(1).split(",")]
        return [re.fullmatch(r"(.*?)(\w+)", p).groups() for p in texts]  # type: ignore[union-attr, misc]
