"""The suites: which tests of the installed wheel, and how their pytest session is set up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

BACKENDS = "executorch.backends"


@dataclass(frozen=True)
class Suite:
    name: str
    package: str
    """Below ``executorch.backends``."""
    folders: Sequence[str]
    """Below the package."""
    own_conftest: bool
    """The suite's fixtures serve as they are; else the plugin has them."""

    def files(self) -> list[Path]:
        """Every test file, in a fixed order."""
        root = _folder(f"{BACKENDS}.{self.package}")
        return [p for folder in self.folders for p in sorted((root / folder).glob("test_*.py"))]


def _folder(package: str) -> Path:
    """Of a package, without importing it."""
    parent = find_spec(BACKENDS)
    assert parent is not None
    assert parent.submodule_search_locations is not None
    below = package.removeprefix(f"{BACKENDS}.").replace(".", "/")
    return Path(next(iter(parent.submodule_search_locations))) / below


SUITES = {
    suite.name: suite
    for suite in (
        Suite("operators", "test.suite", ("operators",), own_conftest=False),
        Suite("cortex_m", "cortex_m.test", ("ops", "models", "misc"), own_conftest=True),
    )
}
