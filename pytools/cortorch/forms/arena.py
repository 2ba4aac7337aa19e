"""Places buffers with known lifetimes in one block of memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

ALIGNMENT = 16


@dataclass(eq=False)
class Buffer:
    """``bytes`` that must stay intact from step ``first`` to step ``last``, both included."""

    name: str
    bytes: int
    first: int
    last: int
    offset: int = -1

    @property
    def end(self) -> int:
        return self.offset + self.bytes

    def meets(self, other: Buffer) -> bool:
        """Alive at the same time."""
        return self.first <= other.last and other.first <= self.last


def aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def lower_bound(buffers: Sequence[Buffer]) -> int:
    """Bytes of the largest set of buffers that is alive at once: no layout is smaller."""
    steps = {b.first for b in buffers}
    return max(
        (sum(aligned(b.bytes) for b in buffers if b.first <= s <= b.last) for s in steps), default=0
    )


_ORDERS: tuple[Callable[[Buffer], tuple[int, ...]], ...] = (
    lambda b: (-b.bytes, b.first),
    lambda b: (-b.bytes * (b.last - b.first + 1), b.first),
    lambda b: (-(b.last - b.first), -b.bytes),
    lambda b: (b.first, -b.bytes),
    lambda b: (-b.last, -b.bytes),
)


def place(buffers: Sequence[Buffer], guard_bytes: int = 0) -> int:
    """Sets every ``offset`` (multiples of 16) and returns the bytes of the block.

    Greedy by several orders, then a deterministic repair that moves the buffers at the peak to the
    front, until the lower bound is reached or nothing helps. ``guard_bytes`` keeps that much room
    after each buffer (tests).
    """
    bound = lower_bound(buffers)
    best: tuple[int, list[Buffer]] | None = None
    for key in _ORDERS:
        order = sorted(buffers, key=key)
        peak = _first_fit(order, guard_bytes)
        for _ in range(len(order)):
            if best is None or peak < best[0]:
                best = peak, list(order)
            if best[0] <= bound:
                break
            order = _promote_peak(order, peak)
            peak = _first_fit(order, guard_bytes)
    if best is None:
        return 0
    return _first_fit(best[1], guard_bytes)


def _first_fit(order: Sequence[Buffer], guard_bytes: int) -> int:
    """Each buffer in turn goes to the lowest gap that holds it."""
    placed: list[Buffer] = []
    for buffer in order:
        offset = guard_bytes
        for other in sorted((b for b in placed if b.meets(buffer)), key=lambda b: b.offset):
            if offset + buffer.bytes + guard_bytes <= other.offset:
                break
            offset = max(offset, aligned(other.end + guard_bytes))
        buffer.offset = aligned(offset)
        placed.append(buffer)
    return aligned(max((b.end + guard_bytes for b in placed), default=0))


def _promote_peak(order: list[Buffer], peak: int) -> list[Buffer]:
    """The same order with those buffers first that reach the peak."""
    top = [b for b in order if aligned(b.end) == peak]
    return top + [b for b in order if b not in top]
