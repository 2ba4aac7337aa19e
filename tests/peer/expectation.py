"""The committed expectation of a suite: how many cases, which fail and why, which use floats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from peer.verdict import FAILED, PASSED, SKIPPED, Verdict

FOLDER = Path(__file__).resolve().parent / "expected"


TO_DO = "to do: "
"""In front of a reason that nobody wrote: an error's first line, which the next update replaces."""


@dataclass
class Expectation:
    """All cases that are in no list pass, and on int8 alone."""

    total: int = 0
    """Those that the suite itself skips not counted."""
    rest: dict[str, str] = field(default_factory=dict)
    """Case -> why it does not pass."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Case -> why the suite skips it."""
    floats: list[str] = field(default_factory=list)
    """Cases that pass with float operators in them."""


def load(suite: str) -> Expectation:
    text = (FOLDER / f"{suite}.yml").read_text(encoding="utf-8")
    return Expectation(**yaml.safe_load(text))


def save(suite: str, verdicts: Sequence[Verdict]) -> None:
    """What was found becomes what is expected; reasons that somebody wrote are kept."""
    path = FOLDER / f"{suite}.yml"
    known = load(suite).rest if path.exists() else {}
    skipped = {v.case.name: _first_line(v.reason) for v in verdicts if v.status == SKIPPED}
    found = {
        "total": len(verdicts) - len(skipped),
        "rest": {v.case.name: _reason(v, known) for v in verdicts if v.status == FAILED},
        "skipped": skipped,
        "floats": [v.case.name for v in verdicts if v.status == PASSED and not v.int8_only],
    }
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(found, sort_keys=False, width=100), encoding="utf-8")


def _reason(verdict: Verdict, known: Mapping[str, str]) -> str:
    reason = known.get(verdict.case.name, TO_DO)
    return reason if not reason.startswith(TO_DO) else TO_DO + _first_line(verdict.reason)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""


def differences(expected: Expectation, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Each a sentence. One who improves something says so in the file, too."""
    counted = [v for v in verdicts if v.status != SKIPPED]
    if len(counted) != expected.total:
        yield f"{len(counted)} cases, {expected.total} are expected"
    floats = set(expected.floats)
    for verdict in verdicts:
        name, passed = verdict.case.name, verdict.status == PASSED
        if verdict.status == SKIPPED:
            if name not in expected.skipped:
                yield f"{name} is skipped now: {verdict.reason}"
        elif not passed and name not in expected.rest:
            yield f"{name} passed before: {verdict.reason}"
        elif passed and name in expected.rest:
            yield f"{name} passes now"
        elif passed and not verdict.int8_only and name not in floats:
            yield f"{name} has float operators now: {sorted(set(verdict.case.float_nodes))}"
        elif passed and verdict.int8_only and name in floats:
            yield f"{name} is int8 only now"
