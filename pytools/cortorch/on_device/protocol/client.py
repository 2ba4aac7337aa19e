"""One request at a time over an unreliable byte stream; none is executed twice."""

from __future__ import annotations

import secrets
import time
from typing import Any, Protocol

from cortorch.errors import DeviceError, ProtocolError
from cortorch.on_device.protocol import messages as m
from cortorch.on_device.protocol.codec import (
    Frame,
    FrameReader,
    MalformedError,
    encode_frame,
    pack,
    unpack,
)
from cortorch.on_device.protocol.status import library_status

# How long a reply may still take once the device has complained about a damaged frame.
NOTICE_GRACE_S = 0.05


# Longest silence, in `retry_s`: rare enough for a long inference, soon enough for a lossy line.
_SLOWEST_RETRY = 8


class Stream(Protocol):
    """A board's UART: what a runner's session, or a serial port, offers."""

    def read(self, timeout: float) -> bytes:
        """What has arrived; waits up to `timeout` seconds for the first byte."""

    def write(self, data: bytes) -> None:
        """Sends all of it."""


class RefusedError(DeviceError):
    """The device understood the request, and its reply says why it was not done."""

    def __init__(self, request: str, status: int, detail: int) -> None:
        self.status = status
        self.step = detail // 256 if request == "RUN" and status == _value("ERR_LIBRARY") else None
        super().__init__(f"the device refused {request}: {_reason(status, detail)}")

    @property
    def restarted(self) -> bool:
        """The device has forgotten the session, so it has been reset since."""
        return self.status == _value("ERR_SESSION")


def _value(name: str) -> int:
    return next(code.value for code in m.STATUSES if code.name == name)


def _reason(status: int, detail: int) -> str:
    if status == _value("ERR_LIBRARY"):
        return library_status(detail % 256)
    code = next((code for code in m.STATUSES if code.value == status), None)
    return f"{code.name}: {code.doc}: {detail}" if code else f"unknown status {status}"


class Client:
    """Numbers the requests, repeats those that get no answer, and drops what is no answer.

    `retry_s`: how long the line may be silent before a request is sent again; it doubles each time,
    for the device is silent while it computes.
    """

    def __init__(self, stream: Stream, retry_s: float = 0.5) -> None:
        self._stream = stream
        self._retry_s = retry_s
        self._reader = FrameReader()
        self._sequence = secrets.randbelow(1 << 16)
        self.lost = False
        """A request got no answer: only HELLO can tell which sequence number the device expects."""

    def request(self, name: str, timeout_s: float, **values: Any) -> dict[str, Any]:
        """The reply's fields.

        Raises:
            RefusedError: the device answered with an error.
            DeviceError: no answer within `timeout_s` seconds.
            ProtocolError: the answer has not the fields that this version defines.
        """
        message = m.message(name)
        self._sequence = (self._sequence + 1) & 0xFFFF
        payload = pack(message.request, values)
        reply = self._exchange(Frame(message.code, 0, self._sequence, payload), name, timeout_s)
        try:
            if reply.status != 0:
                detail = unpack(m.ERROR_FIELDS, reply.payload)["detail"]
                raise RefusedError(name, reply.status, detail)
            return unpack(message.reply, reply.payload)
        except MalformedError as error:
            raise ProtocolError(
                f"the device's reply to {name} is malformed ({error}): update its firmware"
            ) from error

    def _exchange(self, frame: Frame, name: str, timeout_s: float) -> Frame:
        encoded = encode_frame(frame)
        deadline = time.monotonic() + timeout_s
        silence_s, attempts = self._retry_s, 0
        while time.monotonic() < deadline:
            attempts += 1
            self._stream.write(encoded)
            reply = self._await(frame, silence_s, deadline)
            if reply:
                self.lost = False
                return reply
            silence_s = min(2 * silence_s, _SLOWEST_RETRY * self._retry_s)
        self.lost = True
        raise DeviceError(
            f"no answer to {name} within {timeout_s:g} s ({attempts} tries):"
            " does the validate app run, is this its port, is the baud rate right?"
        )

    def _await(self, request: Frame, silence_s: float, deadline: float) -> Frame | None:
        """The reply, or None when the line has been silent for `silence_s`."""
        until = min(time.monotonic() + silence_s, deadline)
        while (left := until - time.monotonic()) > 0:
            data = self._stream.read(left)
            if data:
                until = min(time.monotonic() + silence_s, deadline)
            for frame in self._reader.feed(data):
                if frame.type == m.NOTICE:
                    until = min(until, time.monotonic() + NOTICE_GRACE_S)
                elif (frame.type, frame.sequence) == (request.type | m.REPLY_BIT, request.sequence):
                    return frame
        return None
