"""What a build folder was built from, so that `build` and `flash` need not be told twice."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from cortorch.errors import BuildError
from cortorch.paths import repo_root

FILE_NAME = "cortorch-build.json"
DEFAULT_BUILD_NAME = Path("build") / "image"


@dataclass(frozen=True)
class Remembered:
    """Paths are absolute, since the next call may come from another folder."""

    board: str | None = None
    models: tuple[str, ...] = ()
    app: str = "demo"
    compiler: str | None = None
    place: str = ""
    """Roles and memories, as role=memory,role=memory."""

    def updated(self, **changes: Any) -> Remembered:
        """With each change that is not None or empty."""
        return self.changed(**{name: value for name, value in changes.items() if value})

    def changed(self, **changes: Any) -> Remembered:
        return replace(self, **changes)

    def save(self, build_dir: Path) -> None:
        build_dir.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(self), indent=2) + "\n"
        (build_dir / FILE_NAME).write_text(text, encoding="utf-8")


def load(build_dir: Path) -> Remembered:
    path = build_dir / FILE_NAME
    if not path.exists():
        return Remembered()
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return Remembered(**{**values, "models": tuple(values["models"])})
    except (ValueError, KeyError, TypeError) as error:
        raise BuildError(f"{path} is damaged ({error}): remove it, and build again") from error


def default_build_dir() -> Path:
    """Under the checkout if we are in it or in the west workspace around it; else under `.`."""
    here = Path.cwd()
    root = repo_root()
    if here == root.parent or here.is_relative_to(root):
        return root / DEFAULT_BUILD_NAME
    return here / DEFAULT_BUILD_NAME
