"""The table of a suite, for people, and summary.json, for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from peer.case import Case
from peer.verdict import PASSED, SKIPPED, Verdict


def print_table(suite: str, verdicts: Sequence[Verdict], file: Path) -> None:
    """To a file: it is hundreds of lines long."""
    table = Table(title=f"{suite}: {_score(verdicts)}", title_justify="left")
    for column in ("case", "status", "operators", "float", "bit-exact", "LSB", "SQNR dB", "reason"):
        table.add_column(column, overflow="fold")
    for verdict in verdicts:
        table.add_row(*_row(verdict))
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as stream:
        Console(file=stream, width=200, markup=False).print(table)


def print_score(suite: str, verdicts: Sequence[Verdict]) -> None:
    """To the console: a line for each file of tests."""
    table = Table(title=f"{suite}: {_score(verdicts)}", title_justify="left")
    table.add_column("file")
    for column in ("cases", "pass", "int8 only", "skipped"):
        table.add_column(column, justify="right")
    files: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        files.setdefault(verdict.case.name.partition("::")[0], []).append(verdict)
    for name, mine in files.items():
        found = summary(mine)
        numbers = (found["total"], found["passed"], found["int8_only"], len(found["skipped"]))
        table.add_row(name, *(str(n) if n else "" for n in numbers))
    Console(markup=False, highlight=False).print(table)


def _row(verdict: Verdict) -> list[str]:
    case = verdict.case
    exact = [f"{board} {'yes' if same else 'no'}" for board, same in verdict.exact.items()]
    return [
        case.name,
        verdict.status,
        _counted(case.operators),
        _counted(Counter(case.float_nodes)),
        ", ".join(exact),
        *_errors(case),
        verdict.reason.strip().partition("\n")[0][:200],
    ]


def _counted(names: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(names.items()))


def _errors(case: Case) -> tuple[str, str]:
    """The worst of the case's runs."""
    errors = [run.error for run in case.runs if run.error]
    steps = [e.lsb for e in errors if e.lsb is not None]
    ratios = [e.sqnr_db for e in errors]
    return (f"{max(steps):.1f}" if steps else "", f"{min(ratios):.1f}" if ratios else "")


def _score(verdicts: Sequence[Verdict]) -> str:
    found = summary(verdicts)
    return f"{found['passed']} of {found['total']}, {found['int8_only']} without float operators"


def summary(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """What the suite itself skips is no part of the total, as in ExecuTorch's own reports."""
    counted = [v for v in verdicts if v.status != SKIPPED]
    passed = [v for v in counted if v.status == PASSED]
    tests = {v.case.test for v in counted}
    return {
        "total": len(counted),
        "passed": len(passed),
        "int8_only": sum(v.int8_only for v in passed),
        "tests": len(tests),
        "tests_passed": len(tests - {v.case.test for v in counted if v.status != PASSED}),
        "rest": _reasons(v for v in counted if v.status != PASSED),
        "skipped": _reasons(v for v in verdicts if v.status == SKIPPED),
    }


def _reasons(verdicts: Iterable[Verdict]) -> list[dict[str, str]]:
    return [{"case": v.case.name, "reason": v.reason} for v in verdicts]


def write_summary(suites: Mapping[str, Sequence[Verdict]], file: Path) -> None:
    text = json.dumps({name: summary(verdicts) for name, verdicts in suites.items()}, indent=1)
    file.write_text(text + "\n", encoding="utf-8")
