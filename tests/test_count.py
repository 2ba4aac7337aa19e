"""Instruction counts are exact, the same every time, and there when the answer is."""

from __future__ import annotations

import pytest

from conftest import BUILD
from cortorch.errors import RunnerError
from cortorch.images import image
from cortorch.images.board import load_board
from cortorch.measure.count import RunCount
from handmade import write
from testboards import emulated_boards

DEVICES = emulated_boards()
NOPS = '__asm__ volatile(".rept {}\\n\\tnop\\n\\t.endr");'


def counts(board_name: str, nops: int, compiler: str) -> list[RunCount]:
    board = load_board(board_name)
    baked = write(BUILD / "handmade" / "count", kernel=NOPS.format(nops) + " z = y;")
    built = image.build(
        board, baked, "demo", BUILD / "handmade" / f"count-{compiler}", compiler=compiler
    )
    with board.runner().start(built, count=True) as session:
        list(session.console(timeout=20))
        assert session.counter is not None
        return session.counter.runs()


@pytest.mark.emulator
@pytest.mark.parametrize("compiler", ["clang", "gcc"])
@pytest.mark.parametrize("name", DEVICES)
def test_counts_are_exact(name: str, compiler: str) -> None:
    (base,) = counts(name, 0, compiler)
    (again,) = counts(name, 0, compiler)
    (more,) = counts(name, 1000, compiler)
    assert again == base
    assert more.total_insns - base.total_insns == 1000
    assert more.step_insns == (base.step_insns[0], base.step_insns[1] + 1000)


@pytest.mark.emulator
@pytest.mark.parametrize("name", DEVICES)
def test_steps_make_up_the_run(name: str) -> None:
    (run,) = counts(name, 5, "gcc")
    assert len(run.step_insns) == 2
    assert 0 < run.total_insns - sum(run.step_insns) < 100, "the executor's own, before step 0"


def test_the_pc_does_not_count() -> None:
    board = load_board("host")
    with pytest.raises(RunnerError, match="cannot count instructions"):
        board.runner().start(image.Image(board, BUILD), count=True)
