"""Ways to run an image on a board, one module each; board.yml names those that a board has."""

from __future__ import annotations

from cortorch.runners.base import Runner, Session
from cortorch.runners.fvp import FvpRunner
from cortorch.runners.native import NativeRunner
from cortorch.runners.probe import OpenocdRunner, PyocdRunner
from cortorch.runners.qemu import QemuRunner
from cortorch.settings import Settings

__all__ = ["Runner", "Session", "names", "read"]

_RUNNERS: dict[str, type[Runner]] = {
    runner.name: runner
    for runner in (QemuRunner, FvpRunner, NativeRunner, OpenocdRunner, PyocdRunner)
}


def names() -> list[str]:
    return list(_RUNNERS)


def read(name: str, settings: Settings) -> Runner:
    """The runner as board.yml sets it up."""
    runner = _RUNNERS[name].read(settings)
    settings.done()
    return runner
