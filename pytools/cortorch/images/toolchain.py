"""Compilers, and CMake with Ninja: the ones from PyPI, because a system's CMake may be too old."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import cmake
import ninja

from cortorch.errors import BuildError, ToolError
from cortorch.files import write_if_changed
from cortorch.paths import firmware_dir
from cortorch.target import HostTarget, Target

CLANGS = ("clang-19", "clang")
GCC = "arm-none-eabi-gcc"

# Of the first command that failed, the beginning: what follows is often a consequence.
SHOWN_LINES = 40
_FAILED_COMMAND = re.compile(r"^FAILED: .*?(?=^\[\d+/\d+\] |^ninja: |\Z)", re.MULTILINE | re.DOTALL)


def definitions(target: Target, compiler: str | None) -> dict[str, object]:
    """What CMake must be told to compile for a target.

    Args:
        compiler: `clang` or `gcc`; None takes clang for a device if it is there, the PC's own `cc`.
    """
    flags = {
        "CT_TARGET": target.target_string,
        "CT_TARGET_FLAGS": " ".join(target.compile_flags),
        "CT_ISA": target.isa.name,
    }
    if isinstance(target, HostTarget):
        return {**flags, "CMAKE_C_COMPILER": host_compiler(compiler)}
    if shutil.which(GCC) is None:
        raise ToolError(
            f"{GCC} is not installed; try: apt install gcc-arm-none-eabi libnewlib-arm-none-eabi"
        )
    has_clang = any(shutil.which(name) for name in CLANGS)
    if compiler == "clang" and not has_clang:
        raise ToolError("clang is not installed; try: apt install clang-19, or the compiler gcc")
    chosen = compiler or ("clang" if has_clang else "gcc")
    file = firmware_dir() / "cmake" / f"arm-none-eabi-{chosen}.cmake"
    if not file.is_file():
        raise BuildError(f"unknown compiler '{compiler}'; there are: clang, gcc")
    return {**flags, "CMAKE_TOOLCHAIN_FILE": file}


def host_compiler(compiler: str | None = None) -> str:
    """Path of the PC's own compiler."""
    for name in CLANGS if compiler == "clang" else (compiler or "cc",):
        if path := shutil.which(name):
            return path
    raise ToolError(f"{compiler or 'cc'} is not installed; try: apt install {compiler or 'gcc'}")


def host_cxx_compiler() -> str:
    """Path of the PC's own C++ compiler."""
    if path := shutil.which("c++"):
        return path
    raise ToolError("c++ is not installed; try: apt install g++")


_COMPILER = ("CMAKE_TOOLCHAIN_FILE", "CMAKE_C_COMPILER", "CT_TARGET_FLAGS")


@dataclass(frozen=True)
class Tree:
    """A CMake build tree."""

    source: Path
    binary: Path

    def configure(self, variables: Mapping[str, object]) -> None:
        """Runs CMake if a variable changed; Ninja runs it again when a CMake file or folder did."""
        cache = self.binary / "cortorch-cache.cmake"
        changed = write_if_changed(cache, _settings(variables))
        is_configured = (self.binary / "build.ninja").is_file()
        if is_configured and not changed:
            return
        compiler = {name: variables[name] for name in _COMPILER if name in variables}
        stamp = self.binary / "cortorch-compiler.cmake"
        if write_if_changed(stamp, _settings(compiler)) or not is_configured:
            # CMake cannot exchange the compiler in a tree that exists.
            (self.binary / "CMakeCache.txt").unlink(missing_ok=True)
            shutil.rmtree(self.binary / "CMakeFiles", ignore_errors=True)
        command = ["-S", self.source, "-B", self.binary, "-G", "Ninja", "-C", cache]
        program = _program(cmake.CMAKE_BIN_DIR, "cmake")
        try:
            _run([program, *command, f"-DCMAKE_MAKE_PROGRAM={_ninja()}"])
        except BuildError:
            cache.unlink()  # so that the next call tries again
            raise

    def build(self, target: str) -> None:
        _run([_ninja(), "-C", self.binary, target])


def _settings(variables: Mapping[str, object]) -> str:
    """A script that sets CMake cache variables, whatever they were before."""
    return "".join(
        f'set({name} [==[{value}]==] CACHE INTERNAL "")\n' for name, value in variables.items()
    )


def _ninja() -> Path:
    return _program(ninja.BIN_DIR, "ninja")


def _program(folder: str, name: str) -> Path:
    program = Path(folder) / name
    if not program.is_file():
        raise ToolError(f"the Python package {name} is damaged; try: pip install -U {name}")
    return program


def _run(command: list[object]) -> None:
    words = [str(word) for word in command]
    result = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if result.returncode:
        failed = _FAILED_COMMAND.search(result.stdout)
        output = failed[0] if failed else result.stdout
        shown = "\n".join(output.splitlines()[:SHOWN_LINES])
        raise BuildError(f"'{' '.join(words)}' failed:\n{shown}")
