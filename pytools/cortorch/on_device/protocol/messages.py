"""The wire protocol as data: every message, field, code and limit stands here and nowhere else.

`c_header` makes C of it, `spec` the tables of docs/SPEC.md, and `codec` packs and unpacks by it.
A change that an old device or client would misread must raise `VERSION`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

VERSION = 1

HEADER_BYTES = 4
"""type, status, sequence (u16); see docs/SPEC.md."""
CRC_BYTES = 4
MIN_FRAME_BYTES = 256
"""Every reply but READ fits in it, so no device may offer less."""
MAX_FRAME_BYTES = 0xFFFF
TEXT_BYTES = 80
"""A longer text is cut to this many UTF-8 bytes by the device."""
MAX_RANK = 16
LIMITS = (
    *("VERSION", "HEADER_BYTES", "CRC_BYTES"),
    *("MIN_FRAME_BYTES", "MAX_FRAME_BYTES", "TEXT_BYTES", "MAX_RANK"),
)

REPLY_BIT = 0x80
"""Set in the type of every frame that a device sends."""
NOTICE = 0xFF
"""Type of an error reply to a frame that could not be read: its sequence number is unknown."""

FieldType = Literal["u8", "u16", "u32", "u64", "i32", "f32", "sha256", "text", "i32[]", "data"]


@dataclass(frozen=True)
class Field:
    """One field; fields follow one another without padding, little endian."""

    name: str
    type: FieldType
    doc: str


@dataclass(frozen=True)
class Message:
    """A request and its reply.

    A command changes the device's state: repeated, it is not executed again, but its stored status
    is answered. A query changes nothing: repeated, it is evaluated again.
    """

    name: str
    code: int
    command: bool
    doc: str
    request: tuple[Field, ...] = ()
    reply: tuple[Field, ...] = ()


@dataclass(frozen=True)
class Code:
    """A named number of the protocol."""

    name: str
    value: int
    doc: str


STATUSES = (
    Code("OK", 0, "done; the reply's fields follow"),
    Code("ERR_DAMAGED", 1, "notice: a frame failed its COBS code or CRC, or is too short"),
    Code("ERR_TOO_LONG", 2, "a frame exceeds `frame_bytes`, or its reply would; detail: the limit"),
    Code("ERR_UNKNOWN", 3, "no such request in this version; detail: its type"),
    Code("ERR_LENGTH", 4, "payload does not fit the request; detail: the payload's bytes"),
    Code("ERR_SESSION", 5, "no HELLO since the device started"),
    Code("ERR_SEQUENCE", 6, "sequence number out of order; detail: the one expected"),
    Code("ERR_VERSION", 7, "no common protocol version; detail: the device's"),
    Code("ERR_RANGE", 8, "an index, offset or length is too large; detail: the limit"),
    Code("ERR_STATE", 9, 'not now (docs/SPEC.md, "States"); detail: the next step to run'),
    Code("ERR_ABSENT", 10, "the model was stripped of its step descriptions"),
    Code("ERR_LIBRARY", 11, "the C library failed; detail: ct_status + 256 * step"),
)

READ_KINDS = (
    Code("READ_OUTPUT", 0, "output `index`; the run must have finished"),
    Code("READ_STEP", 1, "output of step `index`; it must be the last step that ran"),
)

DIRECTIONS = (Code("INPUT", 0, "an input"), Code("OUTPUT", 1, "an output"))

ERROR_FIELDS = (Field("detail", "u32", "see the status"),)
"""Payload of every reply whose status is not OK."""

FAULT_REGISTERS = (
    *("r0", "r1", "r2", "r3", "r12", "lr", "pc", "xpsr", "sp"),
    *("cfsr", "hfsr", "mmfar", "bfar"),
)

_MODEL = Field("model", "u16", "index of a model, below `model_count`")

MESSAGES = (
    Message(
        "HELLO",
        0x01,
        True,
        "Opens a session: selection and run are dropped, the sequence starts at this number.",
        (
            Field("version_min", "u8", "lowest and highest"),
            Field("version_max", "u8", "version that the client speaks"),
            Field("frame_bytes", "u16", "largest frame that the client takes"),
        ),
        (
            Field("version", "u8", "version of this session"),
            Field("fault", "u8", "1: a fault report waits (FAULT)"),
            Field("frame_bytes", "u16", "largest frame of this session, both ways"),
            Field("model_count", "u16", ""),
            Field("arena_bytes", "u32", "the arena that all models share"),
            Field("board", "text", ""),
            Field("target", "text", "CPU and instruction set that the image is built for"),
        ),
    ),
    Message(
        "MODEL",
        0x02,
        False,
        "Describes a model.",
        (_MODEL,),
        (
            Field("arena_bytes", "u32", "what the model needs of the arena"),
            Field("constant_bytes", "u32", "weights and tables"),
            Field("step_count", "u16", ""),
            Field("input_count", "u8", ""),
            Field("output_count", "u8", ""),
            Field("isa", "u8", "ct_isa that its kernels need"),
            Field("pte_sha256", "sha256", "digest of the .pte that was baked"),
            Field("name", "text", ""),
            Field("target", "text", "what it was baked for"),
        ),
    ),
    Message(
        "TENSOR",
        0x03,
        False,
        "Describes an input or output of a model.",
        (
            _MODEL,
            Field("direction", "u8", "INPUT or OUTPUT"),
            Field("index", "u8", "below the model's count"),
        ),
        (
            Field("bytes", "u32", ""),
            Field("scale", "f32", "0: not quantized"),
            Field("zero_point", "i32", ""),
            Field("dtype", "u8", "ct_dtype"),
            Field("shape", "i32[]", "outermost dimension first"),
            Field("name", "text", ""),
        ),
    ),
    Message(
        "STEP",
        0x04,
        False,
        "Describes a step of a model's plan.",
        (_MODEL, Field("step", "u16", "below `step_count`")),
        (
            Field("output_bytes", "u32", "size of its (first) output"),
            Field("output_dtype", "u8", "ct_dtype"),
            Field("name", "text", "node of the exported graph"),
            Field("kernel", "text", "C function"),
        ),
    ),
    Message("SELECT", 0x05, True, "Initializes a model in the arena (ct_init).", (_MODEL,)),
    Message(
        "WRITE",
        0x06,
        True,
        "Writes the next chunk of the inputs.",
        (
            Field("input", "u8", ""),
            Field("offset", "u32", "bytes of this input that are already written"),
            Field("data", "data", ""),
        ),
    ),
    Message(
        "RUN",
        0x07,
        True,
        "Runs the steps `first` to `end - 1`; the reply comes when they are done.",
        (
            Field("first", "u16", "0, or where the last RUN ended"),
            Field("end", "u16", "at most `step_count`"),
        ),
    ),
    Message(
        "READ",
        0x08,
        False,
        "Reads a chunk of an output, or of the last step's output.",
        (
            Field("kind", "u8", "READ_OUTPUT or READ_STEP"),
            Field("index", "u16", ""),
            Field("offset", "u32", ""),
            Field("bytes", "u16", "at most `frame_bytes` - 8"),
        ),
        (Field("data", "data", "exactly `bytes`"),),
    ),
    Message(
        "COUNTERS",
        0x09,
        False,
        "What the last inference cost, summed over its RUNs.",
        (),
        (
            Field("cycles", "u64", "CPU cycles"),
            Field("available", "u8", "0: this core has no cycle counter, and `cycles` is 0"),
        ),
    ),
    Message(
        "MEMORY",
        0x0A,
        False,
        "Memory marks.",
        (),
        (
            Field("stack_bytes", "u32", "size of the stack"),
            Field("stack_peak_bytes", "u32", "most that was ever used of it"),
            Field("arena_bytes", "u32", "the arena that all models share"),
            Field(
                "model_arena_bytes", "u32", "what the selected model needs of it; 0: none selected"
            ),
            Field("stack_intact", "u8", "0: the stack has overflowed"),
        ),
    ),
    Message(
        "FAULT",
        0x0B,
        False,
        "The last fault: it survives a reset, until FAULT_CLEAR.",
        (),
        (
            Field("present", "u8", "0: no fault, and everything below is 0"),
            Field("exception", "u8", "exception number (IPSR) of the handler"),
            Field("step", "u32", "step of the plan that ran, 0xFFFFFFFF: none"),
            *(Field(name, "u32", "") for name in FAULT_REGISTERS),
        ),
    ),
    Message("FAULT_CLEAR", 0x0C, True, "Forgets the fault report."),
    Message("RESET", 0x0D, True, "Answers, then restarts the device; the session ends."),
)

CODE_GROUPS = (STATUSES, READ_KINDS, DIRECTIONS)


def message(name: str) -> Message:
    """The message called `name`; KeyError if there is none."""
    return _BY_NAME[name]


_BY_NAME = {m.name: m for m in MESSAGES}
