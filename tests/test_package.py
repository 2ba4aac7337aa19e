"""The package as users import and install it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

import cortorch
from cortorch.commands import COMMANDS, ops

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("name", cortorch.__all__)
def test_public_name(name: str) -> None:
    assert getattr(cortorch, name).__name__ == name


def test_public_names_are_no_modules() -> None:
    """Whatever was imported before: a module that has the name of a function would hide it."""
    names = cortorch._PUBLIC
    code = f"import cortorch, {', '.join(names.values())}\nfor name in {list(names)}:\n"
    code += " assert callable(getattr(cortorch, name)), name"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_unknown_public_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'none_such'"):
        cortorch.none_such  # noqa: B018


def pins() -> dict[str, str]:
    return dict(re.findall(r'^  "([\w-]+)==([\d.]+)"', (ROOT / "pyproject.toml").read_text(), re.M))


def test_pins_are_installed() -> None:
    assert set(pins()) == {"torch", "executorch", "torchao"}
    assert {name: version(name).partition("+")[0] for name in pins()} == pins()


def test_west_pins_the_same_executorch() -> None:
    manifest = yaml.safe_load((ROOT / "west.yml").read_text())["manifest"]
    revisions = {project["name"]: project["revision"] for project in manifest["projects"]}
    assert revisions["executorch"] == f"v{pins()['executorch']}"


def test_readme_shows_the_operators() -> None:
    """To renew it: `cortorch ops --markdown`."""
    assert ops.markdown() in (ROOT / "README.md").read_text(encoding="utf-8")


def test_west_lists_the_commands() -> None:
    listed = yaml.safe_load((ROOT / "pytools" / "west-commands.yml").read_text())
    (entry,) = listed["west-commands"]
    assert {c["name"]: c["help"] for c in entry["commands"]} == {
        c.west_name: c.help for c in COMMANDS
    }
