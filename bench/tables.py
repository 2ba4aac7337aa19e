"""What `make bench` prints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from bench.baseline import Baseline
from bench.measure import Measurement
from cortorch.commands.table import print_table

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
