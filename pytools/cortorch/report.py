"""What became of every node, as data and as a table."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import torch
from executorch.exir import memory
from rich.console import Console
from rich.table import Table
from torch.export import ExportedProgram
from torch.fx import Node

from cortorch.edge import graph, names
from cortorch.edge.dialect import operator_of
from cortorch.edge.passes.lower_operators import REASON
from cortorch.forms.plan import Constant, Plan, Step

NO_KERNEL = "no kernel for this operator"


@dataclass(frozen=True)
class Row:
    """One node of the lowered program."""

    name: str
    operator: str
    kernel: str
    """C function, or why there is none."""
    dtype: str
    shape: tuple[int, ...]
    macs: int
    constant_bytes: int
    output_bytes: int
    source: str
    accelerated: bool


@dataclass(frozen=True)
class Report:
    """Every step of a program on one target, with totals; ``str`` gives a table, ``json`` an
    object."""

    target: str
    rows: Sequence[Row]
    arena_bytes: int
    arena_lower_bound: int
    constant_bytes: int

    @property
    def macs(self) -> int:
        return sum(row.macs for row in self.rows)

    @property
    def float_rows(self) -> list[Row]:
        """Steps that work on float32, the conversion at the boundary included."""
        return [row for row in self.rows if row.dtype == "float32" or "dequantize" in row.operator]

    def json(self) -> str:
        return json.dumps({**asdict(self), "macs": self.macs}, indent=1)

    def __str__(self) -> str:
        console = Console(width=120, highlight=False)
        with console.capture() as capture:
            console.print(self._table())
            console.print(
                f"{self.macs:,} MACs, {self.constant_bytes:,} bytes of constants, "
                f"{self.arena_bytes:,} bytes of arena (at least {self.arena_lower_bound:,})"
            )
        return capture.get()

    def _table(self) -> Table:
        table = Table(title=f"{len(self.rows)} steps on {self.target}", title_justify="left")
        table.add_column("node", overflow="fold")
        table.add_column("kernel", overflow="fold")
        table.add_column("output")
        for number in ("MACs", "constants", "output B"):
            table.add_column(number, justify="right")
        for row in self.rows:
            shape = "x".join(map(str, row.shape))
            table.add_row(
                row.name,
                row.kernel.removeprefix("ct_"),
                f"{row.dtype} {shape}",
                f"{row.macs:,}",
                f"{row.constant_bytes:,}",
                f"{row.output_bytes:,}",
            )
        return table


def from_plan(plan: Plan, target: str, sources: dict[str, str] | None = None) -> Report:
    """The report of a planned program; ``sources`` maps node names to source lines."""
    rows = [_row(step, (sources or {}).get(step.call.name, "")) for step in plan.steps]
    return Report(target, rows, plan.arena_bytes, plan.arena_lower_bound, plan.constant_bytes)


def _row(step: Step, source: str) -> Row:
    out = step.call.out
    return Row(
        name=step.call.name,
        operator=step.call.op.name,
        kernel=step.kernel.function,
        dtype=str(out.dtype).removeprefix("torch."),
        shape=out.shape,
        macs=step.call.op.macs(step.call.bound()),
        constant_bytes=sum(o.data.nbytes for o in step.operands if isinstance(o, Constant)),
        output_bytes=out.bytes,
        source=source,
        accelerated=True,
    )


def is_structural(node: Node) -> bool:
    """Nodes that cost nothing on the device: views, scratch memory, tuple access."""
    return (
        node.target is operator.getitem
        or node.target is memory.alloc
        or graph.overload_name(node) == "aten.view_copy.default"
    )


def unlowered(ep: ExportedProgram) -> list[Node]:
    """Compute nodes that stayed in ATen."""
    return [n for n in graph.calls(ep) if operator_of(n.target) is None and not is_structural(n)]


def explain(nodes: Iterable[Node]) -> str:
    """One line per node: name, operator, reason, source."""
    lines = []
    for node in nodes:
        value = node.meta.get("val")
        shape = list(value.shape) if isinstance(value, torch.Tensor) else ""
        reason = node.meta.get(REASON, NO_KERNEL)
        lines.append(f"  {names.describe(node)}: {graph.overload_name(node)} {shape}: {reason}")
    return "\n".join(lines)
