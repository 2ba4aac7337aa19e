"""CorTorch inside other people's builds: CMake, Zephyr, west manifests, and installed by pip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import cmake
import ninja
import pytest
import torch
import yaml
from torch import nn

import cortorch
from cortorch.forms.bake import bake
from cortorch.paths import cmake_dir
from cortorch.target import HostTarget

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"

# What of Zephyr's build a module meets.
ZEPHYR = """
cmake_minimum_required(VERSION 3.28)
project(zephyr LANGUAGES C)
add_library(zephyr_interface INTERFACE)
target_compile_definitions(zephyr_interface INTERFACE __ZEPHYR__=1)
add_executable(app {example}/main.c {baked}/digits.c)
target_include_directories(app PRIVATE {baked})
set(CONFIG_CORTORCH {config})
add_subdirectory({module} module)
"""
# In a folder of its own, with the package from the wheel alone.
EVERYTHING = """
import sys
from pathlib import Path
import torch, cortorch
from cortorch.cli import main
from cortorch.paths import repo_root
assert Path(cortorch.__file__).is_relative_to(sys.argv[1]), cortorch.__file__
assert repo_root().is_relative_to(sys.argv[1])
import numpy as np
x = torch.randn(1, 2, 4, 4)
program = cortorch.export(torch.nn.Conv2d(2, 3, 3), (x,), calibration=[(x,)], name="tiny")
program.save("tiny.pte")
np.save("x.npy", x.numpy())
assert torch.equal(program.run(x, on="host"), program.run(x))
for words in (
    "boards",
    f"build -b {sys.argv[2]} -m tiny.pte",
    f"run tiny.pte -i x.npy --on {sys.argv[2]}",
    f"test -b {sys.argv[2]} -m tiny.pte -n 2",
):
    assert main(words.split()) == 0, words
"""


def run(*words: str | Path, folder: Path, **environment: str) -> str:
    command = [str(word) for word in words]
    result = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


@pytest.fixture(scope="module")
def baked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with the name, the input and the output of the digits example."""
    torch.manual_seed(1)
    x = torch.rand(1, 1, 8, 8)
    module = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
    program = cortorch.export(module, (x,), calibration=[(x,)], name="digits")
    folder = tmp_path_factory.mktemp("embedding")
    path = program.save(folder / "digits.pte")
    return bake({"digits": path}, folder / "baked", HostTarget()).directory


def cmake_builds(source: Path, binary: Path, *options: str) -> None:
    program = Path(cmake.CMAKE_BIN_DIR, "cmake")
    make = f"-DCMAKE_MAKE_PROGRAM={Path(ninja.BIN_DIR, 'ninja')}"
    run(program, "-G", "Ninja", "-S", source, "-B", binary, make, *options, folder=source)
    run(program, "--build", binary, folder=source)


@pytest.mark.parametrize("example", ["embed", "find_package"])
def test_cmake_project(example: str, baked: Path, tmp_path: Path) -> None:
    root = f"-Dcortorch_ROOT={cmake_dir()}"
    cmake_builds(EXAMPLES / example, tmp_path / "build", f"-DBAKED={baked}", root)
    assert (tmp_path / "build" / "embed").is_file()


@pytest.mark.parametrize("config", ["y", ""])
def test_zephyr_module(config: str, baked: Path, tmp_path: Path) -> None:
    """Zephyr itself is not here: a project with the targets that a module may rely on stands in."""
    module = yaml.safe_load((ROOT / "zephyr" / "module.yml").read_text())
    assert (ROOT / module["build"]["kconfig"]).is_file()
    folder = ROOT / module["build"]["cmake"]
    text = ZEPHYR.format(
        example=EXAMPLES / "embed", baked=baked, config=config or "OFF", module=folder
    )
    (tmp_path / "CMakeLists.txt").write_text(text)
    if config:
        cmake_builds(tmp_path, tmp_path / "build")
    else:
        with pytest.raises(AssertionError, match=r"ct\.h"):
            cmake_builds(tmp_path, tmp_path / "build")


def test_manifest_of_a_product(tmp_path: Path) -> None:
    """CorTorch as a project of another manifest: its commands are there after `west update`."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    manifest = yaml.safe_load((EXAMPLES / "manifest" / "west.yml").read_text())
    (project,) = manifest["manifest"]["projects"]
    project.update(url=ROOT.as_uri(), revision="HEAD")
    product = tmp_path / "product"
    product.mkdir()
    (product / "west.yml").write_text(yaml.safe_dump(manifest))
    west = (sys.executable, "-m", "west")
    run(*west, "init", "-l", product, folder=tmp_path)
    run(*west, "update", "--narrow", folder=tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".west", "cortorch", "product"]
    assert "corstone" in run(*west, "boards", folder=tmp_path)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "wheel", ROOT, "--no-deps", "--no-build-isolation", "-w", folder, folder=folder)
    return next(folder.glob("*.whl"))


def test_wheel_holds_all_that_runs(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    folders = {"cmsis_nn_ops": "cmsis_nn_ops", "pytools/cortorch": "cortorch"}
    folders |= {name: f"cortorch/_data/{name}" for name in ("firmware", "boards", "cmake")}
    for source, target in folders.items():
        files = [p for p in (ROOT / source).rglob("*") if p.is_file() and p.suffix != ".pyc"]
        assert files
        missing = {f"{target}/{p.relative_to(ROOT / source)}" for p in files} - names
        assert not missing
    assert "cortorch/_data/CMakeLists.txt" in names
    assert not any(name.startswith(("tests/", "pytools/")) for name in names)


def test_installed_without_a_checkout(wheel: Path, tmp_path: Path, baked: Path) -> None:
    """Export, build, run and test, and a CMake project, with nothing but the wheel's content."""
    packages, folder = tmp_path / "packages", tmp_path / "folder"
    zipfile.ZipFile(wheel).extractall(packages)
    folder.mkdir()
    environment = {"PYTHONPATH": str(packages), "CORTORCH_BUILD_DIR": str(folder / "work")}
    command = (sys.executable, "-P" if sys.version_info >= (3, 11) else "-s", "-c", EVERYTHING)
    shown = run(*command, packages, "host", folder=folder, **environment)
    assert "every output as the reference's" in shown
    shutil.copytree(EXAMPLES, folder / "examples")
    root = f"-Dcortorch_ROOT={packages / 'cortorch' / '_data'}"
    source = folder / "examples" / "find_package"
    cmake_builds(source, folder / "build", f"-DBAKED={baked}", root)
