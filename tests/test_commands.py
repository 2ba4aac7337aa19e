"""`cortorch` and `west` as users call them, from a folder of the user's own."""

from __future__ import annotations

import importlib.util
import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from cortorch.cli import main
from cortorch.commands import COMMANDS
from cortorch.images.board import default_board, list_boards, load_board
from cortorch.images.image import existing
from westspace import Result, call, output, run_west

ROOT = Path(__file__).resolve().parent.parent
HOST = next(name for name in list_boards() if load_board(name).is_host)
Call = Callable[..., Result]


def error(result: Result) -> str:
    """What a user has to mend is one message, never a traceback."""
    assert result.returncode == 1, result.stdout + result.stderr
    assert result.stderr.startswith("error: "), result.stderr
    return result.stderr


@pytest.fixture
def run_cortorch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """The command line, in this process: torch takes seconds to load."""
    # Our temporary folders are below the checkout; a user's are not.
    monkeypatch.setattr("cortorch.commands.remembered.repo_root", lambda: Path("/elsewhere"))

    def run(*words: str | Path, folder: Path = tmp_path) -> Result:
        monkeypatch.chdir(folder)
        capsys.readouterr()
        status = main([str(word) for word in words])
        return Result(words, status, *capsys.readouterr())

    return run


def test_help_names_every_command(tmp_path: Path) -> None:
    shown = output(call(tmp_path, "cortorch", "--help"))
    assert all(f"    {command.name} " in shown for command in COMMANDS)


def test_boards(run_cortorch: Call) -> None:
    shown = output(run_cortorch("boards"))
    assert [line.split()[0] for line in shown.splitlines()[1:]] == list_boards()


def test_build_remembers_and_flash_shows_the_console(
    run_cortorch: Call, tmp_path: Path, model: Path
) -> None:
    output(run_cortorch("build", "-b", HOST, "-m", model))
    remembered = json.loads((tmp_path / "build/image/cortorch-build.json").read_text())
    assert (remembered["board"], remembered["models"]) == (HOST, [str(model)])
    assert "image: build/image/image.elf" in output(run_cortorch("build"))
    console = output(run_cortorch("flash"))
    assert "on first: ok" in console
    assert "on second: ok" in console
    assert "\r" not in console


@pytest.mark.emulator
def test_build_for_another_board_in_the_same_folder(
    run_cortorch: Call, tmp_path: Path, model: Path
) -> None:
    output(run_cortorch("build", "-b", HOST, "-m", model))
    output(run_cortorch("build", "-b", default_board()))
    assert f"on {default_board()}" in output(run_cortorch("flash"))


def test_app_of_ones_own(run_cortorch: Call, tmp_path: Path, model: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "main.c").write_text(
        '#include "ct_platform.h"\n#include "ct_text.h"\n'
        'int main(void) { ct_text("mine\\n"); ct_end(0); }\n'
    )
    output(run_cortorch("build", "-b", HOST, "-m", model, "--app", "app", "-d", "out"))
    assert output(run_cortorch("flash", "-d", "../out", folder=tmp_path / "app")) == "mine\n"


def test_size_of_parts(run_cortorch: Call, tmp_path: Path, model: Path) -> None:
    shown = output(run_cortorch("build", "-b", default_board(), "-m", model, "-t", "size"))
    table = shown[shown.index("part ") :].splitlines()[1:]
    figures = {" ".join(line.split()[:-2]): line.split()[-2:] for line in table}
    assert {"model tiny", "firmware", "C library", "arena", "stack", "executor"} < figures.keys()
    flash, ram = (sum(int(row[i].replace(",", "")) for row in figures.values()) for i in (0, 1))
    folder = tmp_path / "build" / "image"
    sizes = existing(load_board(default_board()), folder).sizes
    # Gaps between sections, and merged strings, are nobody's.
    assert abs(flash - sizes.flash_bytes) < 0.05 * sizes.flash_bytes
    assert abs(ram - sizes.ram_bytes) < 0.02 * sizes.ram_bytes


@pytest.mark.parametrize("answers", ["\n\ngcc\n", f"x\n{HOST}\n"])
def test_menu(
    run_cortorch: Call, model: Path, monkeypatch: pytest.MonkeyPatch, answers: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    shown = output(run_cortorch("build", "-b", HOST, "-m", model, "-t", "menu"))
    assert f"board [{HOST}]: " in shown
    assert ("'x' is none of them" in shown) == answers.startswith("x")


def test_build_and_run(run_cortorch: Call, model: Path) -> None:
    assert "on first: ok" in output(run_cortorch("build", "-b", HOST, "-m", model, "-t", "run"))


def test_models_on_a_board(run_cortorch: Call, model: Path) -> None:
    shown = output(run_cortorch("test", "-b", HOST, "-m", model, "-n", "3"))
    assert shown.startswith(f"tiny on {HOST}: 5 inputs, every output as the reference's, ")


def test_run_saves_what_it_prints(run_cortorch: Call, tmp_path: Path, model: Path) -> None:
    run = ("run", model, "-i", model.with_name("x.npy"), "--on")
    output(run_cortorch(*run, "host", "-o", "host.npz"))
    output(run_cortorch(*run, "reference", "-o", "reference.npz"))
    with np.load(tmp_path / "host.npz") as ours, np.load(tmp_path / "reference.npz") as theirs:
        (name,) = ours.files
        np.testing.assert_array_equal(ours[name], theirs[name], strict=True)
    assert name in output(run_cortorch(*run, "host"))


def test_report(run_cortorch: Call, tmp_path: Path, model: Path) -> None:
    report = json.loads(output(run_cortorch("report", model, "--json")))
    assert report["target"] == load_board(default_board()).target.target_string
    assert "MACs" in output(run_cortorch("report", model, "--target", "cortex-m0"))


def test_bake(run_cortorch: Call, tmp_path: Path, model: Path) -> None:
    output(run_cortorch("bake", model, "-t", "cortex-m4", "-o", "out"))
    assert {path.name for path in (tmp_path / "out").glob("tiny.*")} == {"tiny.c", "tiny.h"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["build", "-b", "none_such", "-m", "x.pte"], "there is no board 'none_such'"),
        (["build", "-b", HOST, "-m", "missing.pte"], "there is no model"),
        (["build", "-b", HOST, "-m", "a/x.pte", "-m", "b/x.pte"], "have the same name"),
        (["build", "-b", HOST, "-m", "text.pte"], "text.pte"),
        (["build", "-b", HOST, "-d", "damaged"], "cortorch-build.json is damaged"),
        (["flash"], "nothing is built in"),
        (["run", "text.pte"], "text.pte"),
        (["report", "missing.pte"], "missing.pte"),
        (["bake", "text.pte", "-t", "pentium", "-o", "out"], "unknown target 'pentium'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_mistake_is_one_clear_error(
    run_cortorch: Call, tmp_path: Path, words: Sequence[str], message: str
) -> None:
    (tmp_path / "text.pte").write_text("not a program")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "cortorch-build.json").write_text("{")
    assert message in error(run_cortorch(*words))


def test_west_knows_the_commands_without_update(workspace: Path) -> None:
    result = run_west(workspace, "help")
    shown = output(result) + result.stderr
    assert all(f"  {command.west_name}:" in shown for command in COMMANDS)
    assert "WARNING" not in shown, "west has commands of these names itself"
    assert default_board() in output(run_west(workspace, "boards"))


@pytest.mark.emulator
def test_west_builds_in_the_checkout(workspace: Path, model: Path) -> None:
    output(run_west(workspace, "build", "-b", default_board(), "-m", model))
    assert (workspace / "checkout" / "build" / "image" / "image.elf").exists()
    assert "on first: ok" in output(run_west(workspace / "checkout", "flash"))


def test_west_prints_mistakes_as_cortorch_does(workspace: Path) -> None:
    assert "nothing is built in" in error(run_west(workspace, "flash", "-d", "nothing-here"))


@pytest.fixture
def lacking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The commands in a west whose Python has none of CorTorch's packages."""
    path = ROOT / "pytools" / "cortorch" / "west_commands.py"
    spec = importlib.util.spec_from_file_location("west_commands", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "VENV_PYTHON", tmp_path / "python")
    return module


def test_west_without_packages_asks_the_checkouts_python(lacking: ModuleType) -> None:
    python = lacking.VENV_PYTHON
    python.write_text('#!/bin/sh\necho "$@" > "$0.arguments"\nexit 3\n')
    python.chmod(0o755)
    assert lacking.Build().forward(["-b", "x", "--help"]) == 3
    assert python.with_name("python.arguments").read_text() == "-m cortorch build -b x --help\n"


def test_west_without_packages_and_without_venv(
    lacking: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lacking.Build().forward([]) == 1
    assert "make setup" in capsys.readouterr().err
