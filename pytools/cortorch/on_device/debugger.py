"""gdb on a board: on an emulator's own server, or on that of a debug probe's program."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from types import FrameType

from cortorch.errors import RunnerError, ToolError
from cortorch.images.image import Image
from cortorch.on_device.runners.base import ONLY_ONE, Connection, Debugging, Runner, Session

GDBS = ("gdb-multiarch", "arm-none-eabi-gdb")
LISTEN_TIMEOUT_S = 30.0
POLL_S = 0.05


def debug(
    image: Image,
    runner: Runner,
    connection: Connection = ONLY_ONE,
    *,
    attach: bool = False,
    arguments: Sequence[str] = (),
) -> int:
    """Runs gdb in the foreground until it ends; returns its exit status.

    Args:
        attach: take the board as it runs; else the image is loaded, and halted at its start.
        arguments: more of gdb's own.
    """
    gdb = next((name for name in GDBS if shutil.which(name)), None)
    if gdb is None:
        raise ToolError(f"{' and '.join(GDBS)} are not on PATH; try: apt install gdb-multiarch")
    port = _free_port()
    with closing(runner.debug(image, port, connection, attach=attach)) as target:
        _await_server(target, port)
        commands = [f"target extended-remote localhost:{port}", *target.commands]
        words = [word for command in commands for word in ("-ex", command)]
        with _console(target.session), _interrupts_are_for_gdb():
            command = [gdb, "-q", str(image.elf), *words, *arguments]
            return subprocess.run(command, check=False).returncode


def _free_port() -> int:
    with socket.create_server(("localhost", 0)) as server:
        return int(server.getsockname()[1])


def _await_server(target: Debugging, port: int) -> None:
    """Without connecting, which such servers take for their one client."""
    deadline = time.monotonic() + LISTEN_TIMEOUT_S
    while not _is_taken(port):
        if not target.process.is_running:
            raise RunnerError(target.process.death())
        if time.monotonic() > deadline:
            raise RunnerError(f"{target.process.name} has not opened port {port} for gdb")
        time.sleep(POLL_S)


def _is_taken(port: int) -> bool:
    try:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
    except OSError:
        return True
    return False


@contextmanager
def _console(session: Session | None) -> Iterator[None]:
    """What the board sends appears among gdb's own lines."""
    stopped = threading.Event()

    def show() -> None:
        while session is not None and not stopped.is_set():
            try:
                text = session.read(POLL_S).decode("ascii", "backslashreplace")
            except RunnerError:  # gdb has ended it
                return
            print(text.replace("\r\n", "\n"), end="", flush=True, file=sys.stdout)

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


@contextmanager
def _interrupts_are_for_gdb() -> Iterator[None]:
    def ignore(number: int, frame: FrameType | None) -> None:
        """gdb, which has the terminal, gets the signal as well, and halts the board."""

    before = signal.signal(signal.SIGINT, ignore)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
