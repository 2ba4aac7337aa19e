"""Firmware images: models and an app, compiled and linked for a board.

    board = load_board(name)
    image = build(board, {"digits": Path("digits.pte")}, "demo", Path("build/digits"))

A build folder holds generated/ (board facts, linker script, protocol), baked/ (models as C), cmake/
(objects), image.elf, and image.hex, .bin and .uf2 for programmers; building again compiles what
changed.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from cortorch.errors import BuildError, TooBigError
from cortorch.images import boot, generated, outputs, toolchain
from cortorch.images.board import Board
from cortorch.images.sizes import Sizes, contributors, overflows, sizes
from cortorch.paths import cmake_dir, firmware_dir, ops_dir

if TYPE_CHECKING:
    from cortorch.forms.bake import Baked, BakeOptions
    from cortorch.forms.ir import StaticProgram

# Parts that the message about a too big image names.
SHOWN_PARTS = 5


@dataclass(frozen=True)
class Image:
    """A built image; what is in its build folder."""

    board: Board
    build_dir: Path

    @property
    def elf(self) -> Path:
        return self.build_dir / "image.elf"

    @property
    def hex(self) -> Path:
        return self.build_dir / "image.hex"

    @cached_property
    def sizes(self) -> Sizes:
        return sizes(self.elf, self.board)


def existing(board: Board, build_dir: Path) -> Image:
    """The image that an earlier `build` left in this folder."""
    image = Image(board, build_dir)
    if not image.elf.is_file():
        raise BuildError(f"there is no image in {build_dir}; build one first")
    return image


def apps() -> list[str]:
    """The apps that come with the firmware."""
    return sorted(path.parent.name for path in (firmware_dir() / "apps").glob("*/main.c"))


def build(
    board: Board,
    models: Mapping[str, Path | StaticProgram] | Path,
    app: str | Path,
    build_dir: Path,
    *,
    pristine: bool = False,
    compiler: str | None = None,
    sanitize: bool = False,
    bake_options: BakeOptions | None = None,
) -> Image:
    """Builds an image.

    Args:
        models: .pte files (or programs read from them) by model name; or a folder of baked models.
        app: name of an app of the firmware, or a folder with C files, main() among them.
        pristine: build everything anew.
        compiler: `clang` or `gcc`; by default clang for a device if it is installed.
        sanitize: with address and undefined-behaviour sanitizers (host only).

    Raises:
        TooBigError: it does not fit; the text says by how much, and what is largest.
        BuildError: compiler or linker refuse; the text has their messages.
        ToolError: compiler, CMake or Ninja is missing.
    """
    build_dir = build_dir.resolve()
    if pristine:
        _clean(build_dir)
    baked = None if isinstance(models, Path) else _bake(models, board, build_dir, bake_options)
    generated.write(board, build_dir / "generated")
    definitions = {
        **toolchain.definitions(board.target, compiler),
        "CT_SANITIZE": "ON" if sanitize else "OFF",
        "CT_OPS_DIR": ops_dir(),
        "CT_APP": _app_dir(app),
        "CT_GENERATED": build_dir / "generated",
        "CT_BAKED": models.resolve() if isinstance(models, Path) else build_dir / "baked",
        "CT_UART": board.uart.driver,
        "CT_BOARD_SOURCES": ";".join(map(str, board.sources())),
        "CMAKE_RUNTIME_OUTPUT_DIRECTORY": build_dir,
    }
    image = Image(board, build_dir)
    tree = toolchain.Tree(cmake_dir(), build_dir / "cmake")
    tree.configure(definitions)
    try:
        tree.build("image")
    except BuildError as error:
        if spilled := overflows(str(error), board):
            tree.build("oversized")
            raise _too_big(image, spilled, baked) from None
        raise
    if board.boot_crc:
        boot.write_crc(image.elf)
    if not board.is_host:
        outputs.write(image)
    return image


def _clean(build_dir: Path) -> None:
    """Removes what `build` makes, and nothing else that may be there."""
    for name in ("generated", "baked", "cmake"):
        shutil.rmtree(build_dir / name, ignore_errors=True)
    for path in build_dir.glob("image*.*"):
        if path.suffix in (".elf", ".hex", ".bin", ".uf2"):
            path.unlink()


def _bake(
    models: Mapping[str, Path | StaticProgram],
    board: Board,
    build_dir: Path,
    options: BakeOptions | None,
) -> Baked:
    from cortorch.forms.bake import (
        bake,  # loads torch, which a build of baked models can do without
    )

    folder = build_dir / "baked"
    baked = bake(models, folder, board.target, options)
    kept = {path.name for path in baked.sources}
    for path in folder.glob("*.c"):
        if path.name not in kept:  # of a model that is no longer part of this build
            path.unlink()
    return baked


def _app_dir(app: str | Path) -> Path:
    folder = firmware_dir() / "apps" / app if str(app) in apps() else Path(app)
    if not any(folder.glob("*.c")):
        raise BuildError(
            f"'{app}' is neither an app ({', '.join(apps())}) nor a folder with C files"
        )
    return folder.resolve()


def _too_big(image: Image, spilled: Mapping[str, int], baked: Baked | None) -> TooBigError:
    lines = [f"the image does not fit the board {image.board.name}:"]
    weights = image.board.memory("weights").name
    for memory in image.board.memories:
        if memory.name not in spilled:
            continue
        lines.append(
            f"  {memory.name} ({memory.bytes:,} bytes) is {spilled[memory.name]:,} bytes too small"
        )
        parts = contributors(image.build_dir / "oversized.elf", memory)
        if baked is not None and memory.name == weights:
            parts = {**{k: v for k, v in parts.items() if k != "constants"}, **_tensors(baked)}
        largest = sorted(parts.items(), key=lambda item: -item[1])[:SHOWN_PARTS]
        lines += [f"    {size:>12,} bytes  {name}" for name, size in largest]
    lines.append("Try a smaller model, fewer models in one image, int8 inputs, or another board.")
    return TooBigError("\n".join(lines))


def _tensors(baked: Baked) -> dict[str, int]:
    return {
        f"{model}: {constant.name}": constant.data.nbytes
        for model, plan in baked.plans.items()
        for constant in plan.constants
    }
