"""Installs what a fresh checkout lacks: system packages, then .venv. Standard library only.

    python3 pytools/setup/bootstrap.py [--for check]

Apart from system packages nothing is written outside the checkout. When all is in place it says
nothing.

PyTorch comes from wherever pip is configured to look. On x86-64 Linux the default index has only
the build with CUDA: some gigabytes that CorTorch has no use for. With PyTorch's index of CPU wheels
in PIP_EXTRA_INDEX_URL pip takes the small build, because it prefers 2.13.0+cpu to 2.13.0.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
STAMP = VENV / "cortorch-stamp.json"
PACKAGES = Path(__file__).with_name("apt.txt")
OLDEST_PYTHON = (3, 10)


class BootstrapError(Exception):
    """Something is missing that this script cannot install; the text says what to do."""


@dataclass(frozen=True)
class Package:
    """A line of apt.txt."""

    name: str
    optional: bool
    probe: str
    wanted_for: str
    reason: str


def read_packages(text: str) -> list[Package]:
    packages = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, probe, wanted_for, reason = (field.strip() for field in line.split("|"))
        packages.append(Package(name.rstrip(" ?"), name.endswith("?"), probe, wanted_for, reason))
    return packages


def is_present(package: Package) -> bool:
    kind, what = package.probe.split()
    if kind == "tool":
        return shutil.which(what) is not None
    if kind == "module":
        return importlib.util.find_spec(what) is not None
    return compiler_finds(kind, what)


def compiler_finds(kind: str, what: str) -> bool:
    """Asks a compiler: `newlib` for a device library, `include` for a header of the PC's."""
    if kind == "newlib":
        command = ["arm-none-eabi-gcc", f"-print-file-name={what}"]
    else:
        command = ["cc", "-E", "-include", what, "-x", "c", os.devnull]
    if shutil.which(command[0]) is None:
        return False
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    # -print-file-name echoes the bare name of a file that it does not find.
    return result.returncode == 0 and result.stdout.strip() != what


def becoming_root(packages: Sequence[Package]) -> list[str]:
    """What makes a command run as root."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        return ["sudo"]
    names = " ".join(package.name for package in packages)
    raise BootstrapError(
        "system packages are missing, we are not root, and there is no sudo. Let somebody who is"
        f" root run: apt-get update && apt-get install {names}"
    )


def run(command: Sequence[str]) -> None:
    print(f"  $ {' '.join(command)}", flush=True)
    result = subprocess.run(command, cwd=ROOT, check=False)
    if result.returncode:
        raise BootstrapError(f"'{' '.join(command)}' failed; its own message is above")


def is_available(name: str) -> bool:
    policy = subprocess.run(
        ["apt-cache", "policy", name],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    return "Candidate:" in policy.stdout and "Candidate: (none)" not in policy.stdout


def install_system_packages(missing: Sequence[Package]) -> list[str]:
    """Returns the names of optional packages that this system does not offer."""
    print("System packages to install:")
    for package in missing:
        print(f"  {package.name:<24} {package.reason}")
    if shutil.which("apt-get") is None:
        raise BootstrapError(
            "this system has no apt-get. Put these programs on PATH by other means, then try again"
        )
    root = becoming_root(missing)
    run([*root, "apt-get", "update", "-q"])
    unavailable = [p for p in missing if p.optional and not is_available(p.name)]
    for package in unavailable:
        print(f"  {package.name} is not among this system's packages: {package.reason}")
    names = [p.name for p in missing if p not in unavailable]
    if names:
        apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
        run([*root, *apt, "install", "-q", "-y", "--no-install-recommends", *names])
    return [p.name for p in unavailable]


def read_stamp() -> dict[str, object]:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def place() -> str:
    """What a virtual environment is bound to; if it changes, .venv is made anew."""
    return f"{VENV.resolve()} Python {sys.version_info.major}.{sys.version_info.minor}"


def requirements() -> str:
    return hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()


def install_python_packages(stamp: dict[str, object]) -> None:
    python = VENV / "bin" / "python"
    if stamp.get("place") != place() or not python.exists():
        print("Python environment: .venv, so that no package lands in the system's Python")
        run([sys.executable, "-m", "venv", "--clear", str(VENV)])
    print("Python packages: PyTorch, ExecuTorch and their tools, as pyproject.toml lists them")
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-cache-dir"]
    run([*pip, "--editable", ".[dev]"])


def bootstrap(wanted_for: str) -> None:
    if sys.version_info < OLDEST_PYTHON:
        raise BootstrapError(f"Python 3.10 or newer is needed, and {sys.executable} is older")
    stamp = read_stamp()
    unavailable = stamp.get("unavailable", [])
    assert isinstance(unavailable, list)
    missing = [
        package
        for package in read_packages(PACKAGES.read_text(encoding="utf-8"))
        if package.wanted_for in ("all", wanted_for)
        and package.name not in unavailable
        and not is_present(package)
    ]
    if missing:
        unavailable = unavailable + install_system_packages(missing)
    fresh = {"place": place(), "requirements": requirements(), "unavailable": unavailable}
    if stamp == fresh:
        return
    if stamp.get("requirements") != fresh["requirements"] or stamp.get("place") != fresh["place"]:
        install_python_packages(stamp)
    STAMP.write_text(json.dumps(fresh, indent=2) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Install what a fresh checkout lacks.")
    parser.add_argument("--for", dest="wanted_for", default="all", choices=("all", "check"))
    try:
        bootstrap(parser.parse_args().wanted_for)
    except BootstrapError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
