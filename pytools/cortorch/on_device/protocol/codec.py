"""Payloads and frames as bytes: the Python side of docs/SPEC.md."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cobs import cobs

from cortorch.on_device.protocol.messages import CRC_BYTES, HEADER_BYTES, Field

SCALARS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i32": "i", "f32": "f"}
SHA256_BYTES = 32


class MalformedError(ValueError):
    """Bytes that are no payload of the message, or no frame."""


@dataclass(frozen=True)
class Frame:
    """A decoded frame; `status` is 0 in requests."""

    type: int
    status: int
    sequence: int
    payload: bytes


def pack(fields: Sequence[Field], values: Mapping[str, Any]) -> bytes:
    """Payload of a message; `values` has exactly the names of `fields`."""
    return b"".join(_pack_field(field.type, values[field.name]) for field in fields)


def _pack_field(kind: str, value: Any) -> bytes:
    if kind in SCALARS:
        return struct.pack("<" + SCALARS[kind], value)
    if kind == "text":
        text = value.encode()
        return bytes([len(text)]) + text
    if kind.endswith("[]"):
        return struct.pack(f"<B{len(value)}{SCALARS[kind[:-2]]}", len(value), *value)
    return bytes(value)


def unpack(fields: Sequence[Field], payload: bytes) -> dict[str, Any]:
    """Values by field name; MalformedError unless `payload` is exactly these fields."""
    values: dict[str, Any] = {}
    at = 0
    try:
        for field in fields:
            values[field.name], at = _unpack_field(field.type, payload, at)
    except (struct.error, IndexError) as error:
        raise MalformedError(f"payload of {len(payload)} bytes is too short") from error
    if at != len(payload):
        raise MalformedError(f"payload has {len(payload)} bytes where {at} were expected")
    return values


def _unpack_field(kind: str, payload: bytes, at: int) -> tuple[Any, int]:
    if kind in SCALARS:
        layout = "<" + SCALARS[kind]
        return struct.unpack_from(layout, payload, at)[0], at + struct.calcsize(layout)
    if kind == "data":
        return payload[at:], len(payload)
    if kind == "sha256":
        (digest,) = struct.unpack_from(f"{SHA256_BYTES}s", payload, at)
        return digest, at + SHA256_BYTES
    count, at = payload[at], at + 1
    if kind == "text":
        (text,) = struct.unpack_from(f"{count}s", payload, at)
        return text.decode(errors="replace"), at + count
    layout = f"<{count}{SCALARS[kind[:-2]]}"
    return struct.unpack_from(layout, payload, at), at + struct.calcsize(layout)


def encode_frame(frame: Frame) -> bytes:
    """The bytes on the wire. The leading delimiter ends whatever garbage came before."""
    body = struct.pack("<BBH", frame.type, frame.status, frame.sequence) + frame.payload
    body += struct.pack("<I", zlib.crc32(body))
    return b"\0" + cobs.encode(body) + b"\0"


def decode_frame(encoded: bytes) -> Frame:
    """The frame between two delimiters; MalformedError if it was damaged."""
    try:
        body = cobs.decode(encoded)
    except cobs.DecodeError as error:
        raise MalformedError(str(error)) from error
    if len(body) < HEADER_BYTES + CRC_BYTES:
        raise MalformedError(f"frame of {len(body)} bytes is too short")
    (crc,) = struct.unpack_from("<I", body, len(body) - CRC_BYTES)
    if zlib.crc32(body[:-CRC_BYTES]) != crc:
        raise MalformedError("CRC differs")
    kind, status, sequence = struct.unpack_from("<BBH", body)
    return Frame(kind, status, sequence, body[HEADER_BYTES:-CRC_BYTES])


class FrameReader:
    """Cuts a byte stream into frames; what is no frame (boot messages, noise) is dropped."""

    def __init__(self, max_encoded_bytes: int = 1 << 17) -> None:
        self._pending = bytearray()
        self._max = max_encoded_bytes

    def feed(self, data: bytes) -> list[Frame]:
        """Frames that `data` completes, in order."""
        self._pending += data
        *complete, rest = bytes(self._pending).split(b"\0")
        self._pending = bytearray(rest[-self._max :])
        frames = []
        for encoded in complete:
            try:
                frames.append(decode_frame(encoded))
            except MalformedError:
                continue
        return frames
