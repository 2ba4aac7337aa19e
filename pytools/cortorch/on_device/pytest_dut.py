"""The board under test, as pytest-embedded's `Dut`: text for `expect`, frames for `run`."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from pytest_embedded import Dut

from cortorch.device import Device
from cortorch.errors import CorTorchError, DeviceError
from cortorch.on_device.protocol.codec import MalformedError, decode_frame
from cortorch.on_device.runners import Session

Array = npt.NDArray[Any]

DELIMITER = b"\0"
# How long a piece that may be the beginning of a frame is kept from the console.
PATIENCE_S = 0.2
POLL_S = 0.05


class Splitter:
    """Tells frames from text on one UART: a frame stands between zeros, and its CRC is right."""

    def __init__(self) -> None:
        self._pending = b""
        self._after_zero = False

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """What is text, and what is frames with their zeros."""
        text, frames = b"", b""
        *complete, rest = (self._pending + data).split(DELIMITER)
        for piece in complete:
            if self._after_zero and is_frame(piece):
                frames += DELIMITER + piece + DELIMITER
            else:
                text += piece
            self._after_zero = True
        self._pending = rest
        return (text, frames) if self._after_zero else (text + self.flush(), frames)

    def flush(self) -> bytes:
        """What waits for the end of a frame; to be called when none will come."""
        text, self._pending = self._pending, b""
        return text


def is_frame(piece: bytes) -> bool:
    try:
        decode_frame(piece)
    except MalformedError:
        return False
    return True


class SharedUart:
    """Reads a session in a thread, since text must reach `expect` while nobody asks for frames."""

    def __init__(self, session: Session, console: Any) -> None:
        self._session = session
        self._console = console
        self._frames: queue.Queue[bytes] = queue.Queue()
        self._error: CorTorchError | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._pump, name="cortorch-uart", daemon=True)
        self._thread.start()

    def _pump(self) -> None:
        splitter, heard = Splitter(), time.monotonic()
        while not self._stopped.is_set():
            try:
                data = self._session.read(POLL_S)
            except CorTorchError as error:
                self._error = error
                break
            if data:
                heard = time.monotonic()
                text, frames = splitter.feed(data)
                self._console.put(text)
                if frames:
                    self._frames.put(frames)
            elif time.monotonic() - heard > PATIENCE_S:
                self._console.put(splitter.flush())
        self._console.put(splitter.flush())

    def read(self, timeout: float) -> bytes:
        """Frames only. The board's death is raised once all that it sent has been read."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                left = deadline - time.monotonic()
                return self._frames.get(timeout=max(0.0, min(left, POLL_S)))
            except queue.Empty:
                if self._error is not None:
                    raise self._error from None
                if left <= 0:
                    return b""

    def write(self, data: bytes) -> None:
        self._session.write(data)

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()


class BoardDut(Dut):
    """`expect` and its kin see the board's text, `write` sends to it, `run` is an inference."""

    def __init__(self, session: Session, **embedded: Any) -> None:
        super().__init__(**embedded)
        self.session = session
        self._uart = SharedUart(session, self._q)

    @cached_property
    def device(self) -> Device:
        """Everything else that the protocol offers: steps, counters, memory, faults."""
        return Device(self._uart)

    def run(self, *inputs: Any, model: str | None = None) -> Array | tuple[Array, ...]:
        """Outputs of one inference: an array, or a tuple of them if the model has several.

        Args:
            inputs: arrays or tensors, of the shapes and dtypes of the model's inputs.
            model: its name; may be left out if the image has only one.
        """
        outputs = self.device.run(self._chosen(model), [np.asarray(x) for x in inputs])
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _chosen(self, model: str | None) -> str:
        names: Sequence[str] = [known.name for known in self.device.models]
        if model is None and len(names) != 1:
            raise DeviceError(f"which model? dut.run(..., model=NAME); it has: {', '.join(names)}")
        return names[0] if model is None else model

    def write(self, s: str | bytes) -> None:
        self._uart.write(s.encode() if isinstance(s, str) else s)

    def close(self) -> None:
        self._uart.close()
        super().close()
