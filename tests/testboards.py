"""Which boards the tests run on."""

from __future__ import annotations

from typing import Any

import pytest

from cortorch.images.board import list_boards, load_board


def boards_of_this_pc() -> list[str]:
    """Emulated ones, and the PC itself."""
    return [name for name in list_boards() if not load_board(name).needs_hardware]


def emulated_boards() -> list[str]:
    return [name for name in boards_of_this_pc() if not load_board(name).is_host]


def real_boards() -> list[str]:
    """Those that only hardware can run."""
    return [name for name in list_boards() if load_board(name).needs_hardware]


def board_params() -> list[Any]:
    """`boards_of_this_pc`, marked."""
    return [
        pytest.param(name, marks=[] if load_board(name).is_host else [pytest.mark.emulator])
        for name in boards_of_this_pc()
    ]
