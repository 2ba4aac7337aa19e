"""Texts of ct_status, from the table in its header."""

from __future__ import annotations

import re
from functools import cache

from cortorch.paths import ops_dir


@cache
def _table() -> dict[int, str]:
    header = (ops_dir() / "support" / "ct_status.h").read_text(encoding="utf-8")
    rows = re.findall(r'X\((\w+), (\d+), "([^"]*)"\)', header)
    return {int(value): f"{name}: {text}" for name, value, text in rows}


def library_status(value: int) -> str:
    """Name and meaning of a status of the C library."""
    return _table().get(value, f"unknown ct_status {value}")
