"""The committed expectation of a suite: how many cases, which fail and why, which use floats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from peer.verdict import PASSED, Verdict

FOLDER = Path(__file__).resolve().parent / "expected"


@dataclass
class Expectation:
    """All cases that are in neither list pass, and on int8 alone."""

    total: int = 0
    rest: dict[str, str] = field(default_factory=dict)
    """Case -> why it does not pass."""
    floats: list[str] = field(default_factory=list)
    """Cases that pass with float operators in them."""


def load(suite: str) -> Expectation:
    text = (FOLDER / f"{suite}.yml").read_text(encoding="utf-8")
    return Expectation(**yaml.safe_load(text))


def save(suite: str, verdicts: Sequence[Verdict]) -> None:
    """What was found becomes what is expected; reasons that somebody wrote are kept."""
    path = FOLDER / f"{suite}.yml"
    known = load(suite).rest if path.exists() else {}
    failed = [v for v in verdicts if v.status != PASSED]
    found = {
        "total": len(verdicts),
        "rest": {v.case.name: known.get(v.case.name, _first_line(v.reason)) for v in failed},
        "floats": [v.case.name for v in verdicts if v.status == PASSED and not v.int8_only],
    }
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(found, sort_keys=False, width=100), encoding="utf-8")


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""


def differences(expected: Expectation, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Each a sentence. One who improves something says so in the file, too."""
    if len(verdicts) != expected.total:
        yield f"{len(verdicts)} cases, {expected.total} are expected"
    floats = set(expected.floats)
    for verdict in verdicts:
        name, passed = verdict.case.name, verdict.status == PASSED
        if not passed and name not in expected.rest:
            yield f"{name} passed before: {verdict.reason}"
        elif passed and name in expected.rest:
            yield f"{name} passes now"
        elif passed and not verdict.int8_only and name not in floats:
            yield f"{name} has float operators now: {sorted(set(verdict.case.float_nodes))}"
        elif passed and verdict.int8_only and name in floats:
            yield f"{name} is int8 only now"
