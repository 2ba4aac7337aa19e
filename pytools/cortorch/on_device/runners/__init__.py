"""Ways to run an image on a board, one module each; board.yml names those that a board has."""

from __future__ import annotations

from cortorch.images.settings import Settings
from cortorch.on_device.runners.base import Connection, Runner, Session
from cortorch.on_device.runners.drive import Mps3Runner, Uf2Runner
from cortorch.on_device.runners.fvp import FvpRunner
from cortorch.on_device.runners.jlink import JlinkRunner
from cortorch.on_device.runners.native import NativeRunner
from cortorch.on_device.runners.nrfjprog import NrfjprogRunner
from cortorch.on_device.runners.openocd import OpenocdRunner
from cortorch.on_device.runners.pyocd import PyocdRunner
from cortorch.on_device.runners.qemu import QemuRunner
from cortorch.on_device.runners.serial_port import SerialRunner
from cortorch.on_device.runners.stlink import StlinkRunner

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
