"""A profile for people and for programs: table, page with bars, JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import jinja2

from cortorch.commands.table import print_table
from cortorch.measure.profiling import Cost, Profile, Row

COLUMNS = (
    "node",
    "kernel",
    "output",
    "MACs",
    "instructions",
    "MAC/insn",
    "share",
    "of limit",
    "cycles",
    "bytes moved",
)
TEXTS = COLUMNS[:3]


def show(profile: Profile) -> None:
    columns = [*COLUMNS[:8], cycles_title(profile), COLUMNS[9]]
    table = [cells(profile, row) for row in profile.rows]
    rest = ("executor", "", "", "", *_cost_cells(profile, 0, profile.executor), "")
    print_table(
        columns, [*table, rest, total(profile)], numbers=[c for c in columns if c not in TEXTS]
    )
    print(notes(profile))


def cycles_title(profile: Profile) -> str:
    return "cycles" if profile.is_measured else "est. cycles"


def cells(profile: Profile, row: Row) -> tuple[str, ...]:
    shape = "x".join(map(str, row.shape))
    return (
        row.node,
        row.kernel.removeprefix("ct_"),
        f"{row.dtype} {shape}",
        f"{row.macs:,}" if row.macs else "",
        *_cost_cells(profile, row.macs, row.cost),
        f"{row.moved_bytes:,}",
    )


def total(profile: Profile) -> tuple[str, ...]:
    whole = Cost(profile.insns, profile.cycles)
    costs = _cost_cells(profile, profile.macs, whole)
    return ("total", "", "", f"{profile.macs:,}", *costs, f"{profile.moved_bytes:,}")


def _cost_cells(profile: Profile, macs: int, cost: Cost) -> tuple[str, ...]:
    of_limit = profile.of_limit(macs, cost.cycles)
    return (
        "" if cost.insns is None else f"{cost.insns:,}",
        f"{macs / cost.insns:.2f}" if macs and cost.insns else "",
        f"{profile.share(cost):.1%}",
        "" if of_limit is None else f"{of_limit:.0%}",
        "" if cost.cycles is None else f"{cost.cycles:,.0f}",
    )


def notes(profile: Profile) -> str:
    lines = [
        f"limit of {profile.target}: {profile.peak_macs_per_cycle:g} MACs a cycle",
        f"cycles: {profile.cycles_source}",
    ]
    if profile.cycles and profile.clock_hz:
        about = "" if profile.is_measured else "about "
        duration_ms = profile.cycles / profile.clock_hz * 1e3
        lines.append(f"{about}{duration_ms:.3g} ms at {profile.clock_hz / 1e6:g} MHz")
    return "\n".join(lines)


def json_text(profile: Profile) -> str:
    """Everything that is known, instructions by function and by kind included."""
    totals = {
        "macs": profile.macs,
        "insns": profile.insns,
        "cycles": profile.cycles,
        "moved_bytes": profile.moved_bytes,
    }
    return json.dumps({**asdict(profile), "total": totals}, indent=1)


def html(profile: Profile) -> str:
    """One page that needs nothing else."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("cortorch"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    most = max((profile.share(row.cost) for row in profile.rows), default=1.0)
    context = {
        "profile": profile,
        "columns": [*COLUMNS[:8], cycles_title(profile), COLUMNS[9]],
        "text_columns": len(TEXTS),
        "rows": [_page_row(profile, row, most) for row in profile.rows],
        "total": total(profile),
        "notes": notes(profile).splitlines(),
        "groups": list(_groups(profile)),
    }
    return environment.get_template("profile.html.j2").render(context)


def _page_row(profile: Profile, row: Row, most: float) -> dict[str, Any]:
    share = profile.share(row.cost)
    functions = row.cost.functions or {}
    return {
        "cells": cells(profile, row),
        "bar_percent": 100 * share / most if most else 0,
        "functions": ", ".join(f"{name} {count:,}" for name, count in functions.items()),
    }


def _groups(profile: Profile) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Titled lists of (name, percent), largest first: by operator, by function, by kind."""
    operators, functions, kinds = Counter[str](), Counter[str](), Counter[str]()
    for row in profile.rows:
        operators[row.operator] += row.cost.insns or round(row.cost.cycles or 0)
        functions.update(row.cost.functions or {})
        kinds.update(row.cost.kinds or {})
    named = {"operator": operators, "function": functions, "kind of instruction": kinds}
    for title, counts in named.items():
        whole = sum(counts.values())
        if whole:
            yield title, [(name, 100 * n / whole) for name, n in counts.most_common()]
