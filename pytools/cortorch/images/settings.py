"""Reads a mapping out of a YAML file key by key, and says exactly which key is wrong."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from cortorch.errors import BoardError

_SIZE = re.compile(r"(\d+)\s*([KMG])")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Settings:
    """One mapping of the file; `where` is the dotted path to it. Keys are ticked off when read."""

    def __init__(self, values: object, path: Path, where: str = "") -> None:
        self.path = path
        self.where = where
        self._read: set[str] = set()
        if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
            raise self.error("", "must be a mapping of names to values")
        self._values: dict[str, object] = values

    def error(self, key: str, text: str) -> BoardError:
        where = ".".join(part for part in (self.where, key) if part)
        return BoardError(f"{self.path}: {where}: {text}" if where else f"{self.path}: {text}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def rest(self) -> list[str]:
        """Keys that nobody has read yet."""
        return [key for key in self._values if key not in self._read]

    def done(self) -> None:
        """To be called last: a key that nobody read is a mistake."""
        for key in self.rest():
            raise self._unknown(key, sorted(self._read))

    def only(self, allowed: Sequence[str]) -> None:
        for key in self._values:
            if key not in allowed:
                raise self._unknown(key, allowed)

    def section(self, key: str) -> Settings:
        where = f"{self.where}.{key}" if self.where else key
        return Settings(self._take(key), self.path, where)

    def text(self, key: str, default: str | None = None) -> str:
        value = self._take(key, default)
        if not isinstance(value, str):
            raise self.error(key, f"must be text, not {value!r}")
        return value

    def flag(self, key: str) -> bool:
        value = self._take(key, False)
        if not isinstance(value, bool):
            raise self.error(key, f"must be true or false, not {value!r}")
        return value

    def number(self, key: str, default: int | None = None) -> int:
        """Not negative; `512K`, `4M` and `2G` are understood."""
        value = self._take(key, default)
        if isinstance(value, str) and (match := _SIZE.fullmatch(value)):
            value = int(match[1]) * _UNITS[match[2]]
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.error(
                key, f"must be a number such as 1024, 0x400, 512K or 4M, not {value!r}"
            )
        return value

    def choice(self, key: str, allowed: Sequence[str], default: str | None = None) -> str:
        value = self.text(key, default)
        if value != default and value not in allowed:
            raise self.error(key, f"must be one of {', '.join(allowed)}, not {value!r}")
        return value

    def texts(self, key: str, allowed: Sequence[str] | None = None) -> list[str]:
        values = self._take(key, [])
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise self.error(key, f"must be a list of texts, not {values!r}")
        for value in values:
            if allowed is not None and value not in allowed:
                raise self.error(key, f"must be out of {', '.join(allowed)}, not {value!r}")
        return values

    def _take(self, key: str, default: object = None) -> object:
        self._read.add(key)
        if key in self._values:
            return self._values[key]
        if default is None:
            raise self.error(key, "is missing; add it")
        return default

    def _unknown(self, key: str, known: Sequence[str]) -> BoardError:
        close = difflib.get_close_matches(key, known, 1)
        hint = f"did you mean '{close[0]}'?" if close else f"known are: {', '.join(known)}"
        return self.error(key, f"is not a known key; {hint}")
