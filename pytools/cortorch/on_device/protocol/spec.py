"""The tables of docs/SPEC.md, written between markers so that they cannot go stale."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from cobs import cobs

from cortorch.on_device.protocol import messages as m
from cortorch.on_device.protocol.codec import Frame, encode_frame, pack

_SIZES = {
    "u8": "1",
    "u16": "2",
    "u32": "4",
    "u64": "8",
    "i32": "4",
    "f32": "4",
    "sha256": "32",
    "text": "1 + n",
    "i32[]": "1 + 4 n",
    "data": "rest",
}


def render(text: str) -> str:
    """`text` with the lines between `<!-- table: NAME -->` and `<!-- end -->` renewed."""
    return re.sub(
        r"(<!-- table: (\S+) -->\n).*?(<!-- end -->)",
        lambda match: f"{match[1]}\n{_table(match[2]).strip()}\n\n{match[3]}",
        text,
        flags=re.DOTALL,
    )


def rewrite(path: Path) -> None:
    """Renews the tables of a document in place."""
    path.write_text(render(path.read_text(encoding="utf-8")), encoding="utf-8")


def _table(name: str) -> str:
    if name == "limits":
        return _limits()
    if name == "example":
        return _example()
    if name == "messages":
        return "".join(_message(message) for message in m.MESSAGES)
    groups = {"statuses": m.STATUSES, "directions": m.DIRECTIONS, "read-kinds": m.READ_KINDS}
    return _rows(
        "| code | value | meaning |", ((c.name, str(c.value), c.doc) for c in groups[name])
    )


def _limits() -> str:
    return _rows("| name | value |", ((name, str(getattr(m, name))) for name in m.LIMITS))


def _example() -> str:
    hello = m.message("HELLO")
    values = {"version_min": m.VERSION, "version_max": m.VERSION, "frame_bytes": m.MAX_FRAME_BYTES}
    wire = encode_frame(Frame(hello.code, 0, 1, pack(hello.request, values)))
    frame = cobs.decode(wire.strip(b"\0"))
    return f"```\nframe  {frame.hex(' ')}\nwire   {wire.hex(' ')}\n```\n"


def _message(message: m.Message) -> str:
    kind = "command" if message.command else "query"
    head = f"#### 0x{message.code:02X} {message.name} ({kind})\n\n{message.doc}\n\n"
    return head + _fields("request", message.request) + _fields("reply", message.reply)


def _fields(title: str, fields: tuple[m.Field, ...]) -> str:
    if not fields:
        return f"{title.capitalize()}: no fields.\n\n"
    offset: int | None = 0
    rows = []
    for field in fields:
        size = _SIZES[field.type]
        rows.append(
            ("" if offset is None else str(offset), size, field.type, field.name, field.doc)
        )
        offset = offset + int(size) if offset is not None and size.isdigit() else None
    return _rows(f"| {title} at | bytes | type | field | |", rows) + "\n"


def _rows(head: str, rows: Iterable[tuple[str, ...]]) -> str:
    rule = "|" + "---|" * (head.count("|") - 1)
    return "\n".join([head, rule, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"
