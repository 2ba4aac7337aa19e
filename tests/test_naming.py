"""Adding an operator or a board is one folder: nothing outside it may know its name."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortorch.images.board import list_boards, load_board

ROOT = Path(__file__).resolve().parent.parent
OPERATORS = ROOT / "cmsis_nn_ops"
BOARDS = ROOT / "boards"
TESTS = ROOT / "tests"
# Documents, examples and benchmarks show real operators and boards; everything else is generic.
GENERIC = ("pytools", "firmware", "tests", "cmsis_nn_ops", "boards")
GENERIC_FILES = ("CMakeLists.txt", "Makefile", "pyproject.toml", "west.yml")
TEXT = {".py", ".c", ".h", ".S", ".ld", ".in", ".j2", ".txt", ".toml", ".yml", ".cmake"}


def operator_names() -> list[str]:
    return sorted(path.parent.name for path in OPERATORS.glob("*/op.py"))


def board_names() -> list[str]:
    """Without the PC: its name is also that of its target."""
    return [name for name in list_boards() if not load_board(name).is_host]


def generic_files(own_folder: Path) -> Iterator[Path]:
    for folder in GENERIC:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in TEXT and own_folder not in path.parents:
                yield path
    yield from (ROOT / name for name in GENERIC_FILES if (ROOT / name).exists())


def not_longer(name: str) -> str:
    """Ends the name, and not in the middle of that of another operator."""
    rests = [other[len(name) :] for other in operator_names() if other.startswith(f"{name}_")]
    return rf"(?!{'|'.join(rests)})(?![A-Za-z0-9])" if rests else "(?![A-Za-z0-9])"


def used_as_name(name: str) -> str:
    return rf"(cortex_m(::|\.)|cmsis_nn_ops[./]|boards/|\bct_){name}\b"


def mention(name: str, path: Path) -> str:
    """Several words mean nothing else, but one may be a word of the language, or in quotes, a key.

    Tests speak of PyTorch's operators and modules, some of which have the names of ours.
    """
    if TESTS in path.parents and (OPERATORS / name).exists():
        return used_as_name(name)
    if "_" in name or any(character.isdigit() for character in name):
        return rf"(?<![A-Za-z0-9]){name}{not_longer(name)}"
    return rf"{used_as_name(name)}|\"{name}\""


def mentions(name: str, own_folder: Path) -> list[str]:
    found = []
    for path in generic_files(own_folder):
        pattern = re.compile(mention(name, path))  # for a file, not for each of its lines
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    return found


@pytest.mark.parametrize("name", operator_names())
def test_operator_is_named_in_its_folder_only(name: str) -> None:
    assert mentions(name, OPERATORS / name) == []


@pytest.mark.parametrize("name", board_names())
def test_board_is_named_in_its_folder_only(name: str) -> None:
    assert mentions(name, BOARDS / name) == []


def git(*arguments: str) -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    result = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return result.stdout.splitlines()


def test_no_ignored_file_is_committed() -> None:
    assert git("ls-files", "--cached", "--ignored", "--exclude-standard") == []


def test_no_generated_file_is_committed() -> None:
    binaries = {".pte", ".elf", ".hex", ".bin", ".o", ".a", ".so", ".pyc", ".whl", ".map"}
    marks = re.compile(r"^\W*(generated (by|from)|this file is generated)\b", re.IGNORECASE)
    generated = []
    for name in git("ls-files"):
        path = ROOT / name
        if path.suffix in binaries and "tests" not in path.parts:
            generated.append(name)
        elif path.suffix in TEXT - {".j2"} and path.exists():
            head = path.read_text(encoding="utf-8").splitlines()[:5]
            generated += [name for line in head if marks.match(line)]
    assert generated == []
