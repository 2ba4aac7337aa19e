"""Runs an image in QEMU, without a display, with time that only instructions move.

`-icount shift=0` makes an instruction take 1 ns of the machine's time, so that two runs are the
same to the last instruction. The UART is one end of a socket pair: no name, no port, nothing lost
before somebody listens.
"""

from __future__ import annotations

import shutil
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cortorch.errors import RunnerError, ToolError
from cortorch.images.settings import Settings
from cortorch.on_device.runners.base import ONLY_ONE, Connection, Debugging, Runner
from cortorch.on_device.runners.process import Process, ProcessSession

if TYPE_CHECKING:
    from cortorch.images.image import Image

PROGRAM = "qemu-system-arm"


@dataclass(frozen=True)
class QemuRunner(Runner):
    name = "qemu"
    counts = True

    machine: str
    cpu: str
    serial: int
    """Which of the machine's serial ports is the board's UART, from 0."""
    args: tuple[str, ...]

    @classmethod
    def read(cls, settings: Settings) -> QemuRunner:
        return cls(
            settings.text("machine"),
            settings.text("cpu", ""),
            settings.number("serial", 0),
            tuple(settings.texts("args")),
        )

    def _start(self, image: Image, count: bool, connection: Connection) -> ProcessSession:
        return self._boot(image, count=count)

    def debug(
        self, image: Image, port: int, connection: Connection = ONLY_ONE, *, attach: bool = False
    ) -> Debugging:
        if attach:
            raise RunnerError(
                "an emulated board lives no longer than the command that started it: there is none"
                " to attach to; use the command `debug`"
            )
        session = self._boot(image, "-S", "-gdb", f"tcp:localhost:{port}")
        return Debugging(session.process, session=session)

    def _boot(self, image: Image, *options: str, count: bool = False) -> ProcessSession:
        if shutil.which(PROGRAM) is None:
            raise ToolError(f"{PROGRAM} is not installed; try: apt install qemu-system-arm")
        counter = None
        if count:
            from cortorch.measure.count import InstructionCounter

            counter = InstructionCounter(image)
        ours, theirs = socket.socketpair()
        with theirs:
            command = [*self.command(image, theirs.fileno()), *options]
            fds = [theirs.fileno()]
            if counter is not None:
                command += counter.qemu_args()
                fds.append(counter.fileno())
            process = Process(command, image.build_dir, pass_fds=fds)
        session = ProcessSession(image, process, ours)
        session.counter = counter
        return session

    def command(self, image: Image, uart_fd: int) -> list[str]:
        return [
            PROGRAM,
            *("-machine", self.machine),
            *(("-cpu", self.cpu) if self.cpu else ()),
            *("-nodefaults", "-display", "none"),
            *("-icount", "shift=0"),
            *("-chardev", f"socket,id=uart,fd={uart_fd}"),
            *(("-serial", "none") * self.serial),
            *("-serial", "chardev:uart"),
            *self.args,
            *("-kernel", str(image.elf)),
        ]
