"""The arena: no two buffers that are alive at once share a byte, and nothing is wasted without
need."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from cortorch.forms import arena
from cortorch.forms.arena import ALIGNMENT, Buffer

lifetimes = st.tuples(st.integers(0, 5000), st.integers(-1, 12), st.integers(0, 12))
buffers = st.lists(lifetimes, max_size=24).map(
    lambda rows: [
        Buffer(str(i), size, first, first + span) for i, (size, first, span) in enumerate(rows)
    ]
)


@given(buffers, st.sampled_from([0, 16, 32]))
def test_live_buffers_are_disjoint(made: list[Buffer], guard_bytes: int) -> None:
    size = arena.place(made, guard_bytes)
    for buffer in made:
        assert buffer.offset % ALIGNMENT == 0
        assert guard_bytes <= buffer.offset
        assert buffer.end + guard_bytes <= size or buffer.bytes == 0
    for a, b in combinations(made, 2):
        alive_together = any(
            a.first <= step <= a.last and b.first <= step <= b.last for step in range(-1, 25)
        )
        if alive_together and a.bytes and b.bytes:
            assert a.end + guard_bytes <= b.offset or b.end + guard_bytes <= a.offset


@given(buffers)
def test_bounds(made: list[Buffer]) -> None:
    size = arena.place(made)
    assert arena.lower_bound(made) <= size <= sum(arena.aligned(b.bytes) for b in made)
    offsets = [b.offset for b in made]
    assert arena.place(made) == size
    assert [b.offset for b in made] == offsets, "placing again changes nothing"


def test_chain_needs_the_two_largest_neighbours() -> None:
    sizes = [640, 1280, 320, 960, 64]
    chain = [Buffer(str(i), size, i - 1, i) for i, size in enumerate(sizes)]
    assert arena.place(chain) == 640 + 1280 == arena.lower_bound(chain)
