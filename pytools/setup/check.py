"""`make check` but for the tests: formatters, linter, types, and the commands that README shows.

    .venv/bin/python pytools/setup/check.py [STEP ...]   all, or some: format lint types c readme

Goes on after a failure, so that one call shows all there is to mend.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON_FOLDERS = ("pytools", "cmsis_nn_ops", "tests", "examples", "bench")
C_FOLDERS = ("cmsis_nn_ops", "firmware", "examples")
C_SUFFIXES = (".c", ".h", ".cpp")
CLANG_FORMAT = "clang-format-19"
NOT_COPIED = {".git", ".venv", ".west", "build"}


def call(*command: str | Path) -> bool:
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode == 0


def tool(name: str) -> Path:
    return Path(sys.executable).parent / name


def python_folders() -> list[str]:
    return [folder for folder in PYTHON_FOLDERS if (ROOT / folder).is_dir()]


def check_format() -> bool:
    return call(tool("ruff"), "format", "--check", *python_folders())


def check_lint() -> bool:
    return call(tool("ruff"), "check", *python_folders())


def check_types() -> bool:
    return call(tool("mypy"))


def check_c() -> bool:
    if shutil.which(CLANG_FORMAT) is None:
        print(f"skipped: {CLANG_FORMAT} is not among this system's packages")
        return True
    files = [
        path
        for folder in C_FOLDERS
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in C_SUFFIXES and path.is_file()
    ]
    return call(CLANG_FORMAT, "--dry-run", "--Werror", *files)


def readme_blocks(text: str) -> list[tuple[str, str]]:
    """Blocks fenced as `sh` and `python` are to be run; those of other names only to be read."""
    return re.findall(r"^```(sh|python)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def check_readme() -> bool:
    """Runs the blocks in a copy of the checkout, since `west init` writes beside it."""
    copy = ROOT / "build" / "readme" / "checkout"
    shutil.rmtree(copy.parent, ignore_errors=True)
    shutil.copytree(ROOT, copy, ignore=lambda folder, names: NOT_COPIED & set(names))
    (copy / ".venv").symlink_to(ROOT / ".venv")
    environment = {
        **os.environ,
        "PATH": f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}",
        # The environment's own cortorch is the original; the copy is what README is read in.
        "PYTHONPATH": f"{copy / 'pytools'}:{copy}",
    }
    blocks = readme_blocks((ROOT / "README.md").read_text(encoding="utf-8"))
    return all(run_block(language, block, copy, environment) for language, block in blocks)


def run_block(language: str, block: str, folder: Path, environment: dict[str, str]) -> bool:
    print(block, end="", flush=True)
    interpreter = ["bash", "-euo", "pipefail"] if language == "sh" else [sys.executable]
    command = [*interpreter, "-c", block]
    result = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, check=False
    )
    return result.returncode == 0


STEPS: dict[str, Callable[[], bool]] = {
    "format": check_format,
    "lint": check_lint,
    "types": check_types,
    "c": check_c,
    "readme": check_readme,
}


def main(names: list[str]) -> int:
    unknown = set(names) - STEPS.keys()
    if unknown:
        print(f"error: no step is named {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    failed = []
    for name in names or STEPS:
        print(f"check {name}", flush=True)
        if not STEPS[name]():
            failed.append(name)
    for name in failed:
        print(
            f"failed: {name}; alone: .venv/bin/python pytools/setup/check.py {name}",
            file=sys.stderr,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
