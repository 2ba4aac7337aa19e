"""Ways to run an image on a board, one module each; board.yml names those that a board has."""

from __future__ import annotations

from cortorch.runners.base import Connection, Runner, Session
from cortorch.runners.drive import Mps3Runner, Uf2Runner
from cortorch.runners.fvp import FvpRunner
from cortorch.runners.jlink import JlinkRunner
from cortorch.runners.native import NativeRunner
from cortorch.runners.nrfjprog import NrfjprogRunner
from cortorch.runners.openocd import OpenocdRunner
from cortorch.runners.pyocd import PyocdRunner
from cortorch.runners.qemu import QemuRunner
from cortorch.runners.serial_port import SerialRunner
from cortorch.runners.stlink import StlinkRunner
from cortorch.settings import Settings

__all__ = ["Connection", "Runner", "SerialRunner", "Session", "names", "read"]

_RUNNERS: dict[str, type[Runner]] = {
    runner.name: runner
    for runner in (
        *(QemuRunner, FvpRunner, NativeRunner),
        *(OpenocdRunner, PyocdRunner, JlinkRunner, StlinkRunner, NrfjprogRunner),
        *(Uf2Runner, Mps3Runner),
    )
}


def names() -> list[str]:
    return list(_RUNNERS)


def read(name: str, settings: Settings) -> Runner:
    """The runner as board.yml sets it up."""
    runner = _RUNNERS[name].read(settings)
    settings.done()
    return runner
