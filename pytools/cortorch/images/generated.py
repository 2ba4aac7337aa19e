"""Board facts as C, as a linker script, and the protocol as C: generated into the build folder."""

from __future__ import annotations

from pathlib import Path

import jinja2

from cortorch.files import write_if_changed
from cortorch.images.board import Board
from cortorch.on_device import protocol
from cortorch.paths import firmware_dir
from cortorch.target import CortexMTargetConfig

_BOARD_HEADER = "platform/ct_board.h.j2"
_LINKER_SCRIPT = "linker/image.ld.j2"


def write(board: Board, folder: Path) -> None:
    """Writes the files that the firmware includes; one that is already right is left alone."""
    write_if_changed(folder / "ct_board.h", board_header(board))
    write_if_changed(folder / "ct_protocol.h", protocol.c_header())
    if not board.is_host:
        write_if_changed(folder / "image.ld", linker_script(board))


def board_header(board: Board) -> str:
    target = board.target
    core = target.cpu.core if isinstance(target, CortexMTargetConfig) else None
    return render(_BOARD_HEADER, board=board, core=core)


def linker_script(board: Board) -> str:
    return render(_LINKER_SCRIPT, board=board, memory=lambda role: board.memory(role).name)


def render(name: str, **variables: object) -> str:
    """The text of a template among the firmware's sources."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(firmware_dir()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # C, not HTML
    )
    return environment.get_template(name).render(**variables)
