"""The committed baseline: instructions by board and inference, so that no loss is unseen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.measure import Measurement

PATH = Path(__file__).with_name("baseline.json")
MOST_SLOWER = 0.01
"""Part of the baseline by which a count may grow: a compiler's whim, not a lost optimization."""

Results = Mapping[str, Mapping[str, Measurement]]
Baseline = dict[str, dict[str, int]]


def load() -> Baseline:
    baseline: Baseline = json.loads(PATH.read_text(encoding="utf-8"))
    return baseline


def update(results: Results) -> None:
    """Takes over what was measured, and leaves the rest as it is."""
    baseline = load() if PATH.exists() else {}
    for board, measured in results.items():
        counts = baseline.setdefault(board, {})
        counts.update({name: m.insns for name, m in measured.items()})
    PATH.write_text(json.dumps(baseline, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def regressions(results: Results, baseline: Baseline) -> Iterator[str]:
    """One line for each count that is more than 1 % above its baseline."""
    for board, measured in results.items():
        for name, m in measured.items():
            before = baseline.get(board, {}).get(name)
            if before is not None and m.insns > before * (1 + MOST_SLOWER):
                yield (
                    f"{name} on {board}: {m.insns:,} instructions, the baseline is {before:,}"
                    f" ({m.insns / before - 1:+.1%})"
                )
