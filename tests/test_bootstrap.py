"""The bootstrap script on machines that lack something; nothing here installs anything."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "pytools" / "setup"


class Machine:
    """Takes the place of everything that the script would run."""

    def __init__(self, script: ModuleType, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.script = script
        self.present: set[str] = set()
        self.offered: set[str] | None = None
        self.commands: list[list[str]] = []
        (root / "pyproject.toml").write_text("[project]\n")
        patch.setattr(script, "ROOT", root)
        patch.setattr(script, "VENV", root / ".venv")
        patch.setattr(script, "STAMP", root / ".venv" / "stamp.json")
        patch.setattr(script, "is_present", lambda package: package.name in self.present)
        patch.setattr(script, "is_available", self.offers)
        patch.setattr(script, "run", self.run)
        patch.setattr(script.shutil, "which", lambda name: f"/usr/bin/{name}")
        patch.setattr(os, "geteuid", lambda: 0)

    def offers(self, name: str) -> bool:
        return self.offered is None or name in self.offered

    def run(self, command: Sequence[str]) -> None:
        self.commands.append(list(command))
        if "install" in command and "apt-get" in command:
            self.present.update(command[command.index("--no-install-recommends") + 1 :])
        if "venv" in command:
            python = self.script.VENV / "bin" / "python"
            python.parent.mkdir(parents=True, exist_ok=True)
            python.touch()

    def installed(self) -> list[str]:
        return [word for command in self.commands for word in command]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    spec = importlib.util.spec_from_file_location("bootstrap", SCRIPTS / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "bootstrap", script)
    spec.loader.exec_module(script)
    return Machine(script, tmp_path, monkeypatch)


def names(machine: Machine, wanted_for: str) -> set[str]:
    packages = machine.script.read_packages((SCRIPTS / "apt.txt").read_text())
    return {package.name for package in packages if package.wanted_for in ("all", wanted_for)}


def test_fresh_machine_gets_all_then_nothing(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.script.bootstrap("all")
    assert names(machine, "all") <= set(machine.installed())
    assert any("--editable" in command for command in machine.commands)
    machine.commands.clear()
    capsys.readouterr()
    machine.script.bootstrap("all")
    assert (machine.commands, capsys.readouterr().out) == ([], "")


def test_every_package_has_a_reason(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.script.bootstrap("check")
    shown = capsys.readouterr().out
    for package in machine.script.read_packages((SCRIPTS / "apt.txt").read_text()):
        assert package.reason in shown


def test_changed_requirements_keep_the_environment(machine: Machine) -> None:
    machine.script.bootstrap("all")
    machine.commands.clear()
    (machine.script.ROOT / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    machine.script.bootstrap("all")
    (command,) = machine.commands
    assert command[-2:] == ["--editable", ".[dev]"]


def test_moved_checkout_makes_the_environment_anew(machine: Machine) -> None:
    machine.script.bootstrap("all")
    stamp = json.loads(machine.script.STAMP.read_text())
    machine.script.STAMP.write_text(json.dumps({**stamp, "place": "elsewhere"}))
    (machine.script.VENV / "bin" / "python").unlink()
    (machine.script.VENV / "bin").rmdir()
    machine.commands.clear()
    machine.script.bootstrap("all")
    assert "--clear" in machine.commands[0]


def test_optional_package_that_is_not_offered_is_said_once(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    packages = machine.script.read_packages((SCRIPTS / "apt.txt").read_text())
    optional = {package.name for package in packages if package.optional}
    machine.offered = names(machine, "check") - optional
    machine.script.bootstrap("check")
    assert "is not among this system's packages" in capsys.readouterr().out
    assert not optional & set(machine.installed())
    machine.commands.clear()
    machine.script.bootstrap("check")
    assert machine.commands == []


def test_no_root_and_no_sudo(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(
        machine.script.shutil, "which", lambda name: None if name == "sudo" else f"/usr/bin/{name}"
    )
    with pytest.raises(machine.script.BootstrapError, match=r"apt-get install .*qemu"):
        machine.script.bootstrap("all")


def test_system_without_apt(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.script.shutil, "which", lambda name: None)
    with pytest.raises(machine.script.BootstrapError, match="no apt-get"):
        machine.script.bootstrap("all")


def test_damaged_stamp_is_as_none(machine: Machine) -> None:
    machine.script.STAMP.parent.mkdir()
    machine.script.STAMP.write_text("[1,")
    machine.script.bootstrap("all")
    assert "--clear" in machine.installed()
