"""What `make bench` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from bench.baseline import Baseline
from bench.measure import Inference, Measurement
from cortorch.commands.table import print_table
from cortorch.forms.plan import plan
from cortorch.images.board import Board

ANCHORS = Path(__file__).with_name("anchors.yml")
COLUMNS = (
    "inference",
    "MACs",
    "instructions",
    "MAC/insn",
    "mismatches",
    "target",
    "upstream",
    "of upstream",
    "of baseline",
)
OPERATOR_COLUMNS = (
    "operator and shape",
    "kernel",
    "MACs",
    "instructions",
    "MAC/insn",
    "insns/output",
    "mismatches",
)

Anchors = Mapping[str, Mapping[str, Mapping[str, int]]]


def load_anchors() -> Anchors:
    anchors: Anchors = yaml.safe_load(ANCHORS.read_text(encoding="utf-8"))
    return anchors


def show(board: str, measured: Mapping[str, Measurement], baseline: Baseline) -> None:
    anchors, before = load_anchors().get(board, {}), baseline.get(board, {})
    rows = [row(name, m, anchors.get(name, {}), before.get(name)) for name, m in measured.items()]
    used = [i for i in range(len(COLUMNS)) if any(row[i] for row in rows)]
    columns = [COLUMNS[i] for i in used]
    print_table(columns, [[row[i] for i in used] for row in rows], numbers=columns[1:])


def show_operators(
    board: Board, inferences: Sequence[Inference], measured: Mapping[str, Measurement]
) -> None:
    """One line for each shape: the variant that was chosen, and its rate."""
    rows = [operator_row(board, inference, measured[inference.name]) for inference in inferences]
    print_table(OPERATOR_COLUMNS, rows, numbers=OPERATOR_COLUMNS[2:])


def operator_row(board: Board, inference: Inference, m: Measurement) -> tuple[str, ...]:
    (step,) = plan(inference.program, board.target.isa).steps
    elements = step.call.out.tensor().numel()
    return (
        inference.name,
        step.kernel.function.removeprefix("ct_"),
        f"{m.macs:,}" if m.macs else "",
        f"{m.insns:,}",
        f"{m.macs / m.insns:.2f}" if m.macs else "",
        f"{m.insns / elements:.1f}",
        f"{m.mismatches:,}",
    )


def row(
    name: str, m: Measurement, anchors: Mapping[str, int], before: int | None
) -> tuple[str, ...]:
    target, upstream = anchors.get("target"), anchors.get("upstream")
    return (
        name,
        f"{m.macs:,}" if m.macs else "",
        f"{m.insns:,}",
        f"{m.macs / m.insns:.2f}" if m.macs else "",
        f"{m.mismatches:,}",
        f"{target:,} {'met' if m.insns <= target else 'MISSED'}" if target else "",
        f"{upstream:,}" if upstream else "",
        f"{m.insns / upstream:.2f}" if upstream else "",
        f"{m.insns / before:.3f}" if before else "",
    )
