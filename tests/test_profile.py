"""What a step costs: kinds of instructions, estimated cycles, and the views of a profile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import count
from pathlib import Path

import pytest

from cortorch.cli import main
from cortorch.device import Device
from cortorch.errors import DeviceError
from cortorch.images.board import default_board, list_boards, load_board
from cortorch.measure import profile_views
from cortorch.measure.disassembly import Instruction, Kind, _instructions, kind_of
from cortorch.measure.profiling import Profile, profile
from cortorch.measure.timing import TIMINGS, Timing, estimated_cycles, peak_macs_per_cycle
from cortorch.program import Program
from cortorch.target import CortexM, CortexMTargetConfig, Isa

HOST = next(name for name in list_boards() if load_board(name).is_host)


@pytest.mark.parametrize(
    ("name", "operands", "kind"),
    [
        ("adds", "r0, r1, r2", Kind.ALU),
        ("bics", "r0, r1", Kind.ALU),
        ("bfi", "r0, r1, #8, #8", Kind.ALU),
        ("smlad", "r0, r1, r2, r3", Kind.MULTIPLY_ADD),
        ("smmlar", "r0, r1, r2, r3", Kind.MULTIPLY_ADD),
        ("smlalne", "r0, r1, r2, r3", Kind.MULTIPLY_ADD_LONG),
        ("smull", "r0, r1, r2, r3", Kind.MULTIPLY_LONG),
        ("smmul", "r0, r1, r2", Kind.MULTIPLY),
        ("muls", "r0, r1", Kind.MULTIPLY),
        ("udiv", "r0, r1, r2", Kind.DIVIDE),
        ("ldrb", "r0, [r1]", Kind.LOAD),
        ("ldrd", "r0, r1, [r2]", Kind.LOAD_MULTIPLE),
        ("ldmia", "r0!, {r1, r2}", Kind.LOAD_MULTIPLE),
        ("streq", "r0, [r1]", Kind.STORE),
        ("blt", "1234", Kind.BRANCH),
        ("bl", "1234", Kind.CALL),
        ("ble", "1234", Kind.BRANCH),
        ("cbnz", "r0, 1234", Kind.BRANCH),
        ("letp", "lr, 1234", Kind.LOOP),
        ("vldr", "s0, [r0]", Kind.LOAD),
        ("vldrb", "q0, [r0], #16", Kind.VECTOR_LOAD),
        ("vstrw", "q0, [r0]", Kind.VECTOR_STORE),
        ("vmladava", "r0, q1, q2", Kind.VECTOR_MULTIPLY),
        ("vmlava", "r0, q1, q2", Kind.VECTOR_MULTIPLY),
        ("vmul", "q0, q1, q2", Kind.VECTOR_MULTIPLY),
        ("vmullb", "q0, q1, q2", Kind.VECTOR_MULTIPLY),
        ("vqrdmulh", "q0, q1, q2", Kind.VECTOR_MULTIPLY),
        ("vfma", "q0, q1, q2", Kind.VECTOR_MULTIPLY),
        ("vmin", "q0, q1, q2", Kind.VECTOR),
        ("vpst", "", Kind.VECTOR),
        ("vmul", "s0, s1, s2", Kind.FLOAT),
        ("vfma", "s0, s1, s2", Kind.FLOAT_MULTIPLY_ADD),
        ("vsqrt", "s0, s1", Kind.FLOAT_DIVIDE),
    ],
)
def test_kind_of_instruction(name: str, operands: str, kind: Kind) -> None:
    assert kind_of(name, operands) is kind


LISTING = """
10000000 <sum.isra.0>:
10000000:\tb5f0      \tpush\t{r4, r5, r6, r7, lr}
10000002:\tf851 0b04 \tldr.w\tr0, [r1], #4
10000006:\t3d04      \tsubs\tr5, #4
10000008:\td1fb      \tbne.n\t10000002 <sum.isra.0+0x2>
1000000a:\tbdf0      \tpop\t{r4, r5, r6, r7, pc}
"""


def test_listing() -> None:
    code = dict(_instructions(LISTING))
    assert list(code) == [0x1000_0000, 0x1000_0002, 0x1000_0006, 0x1000_0008, 0x1000_000A]
    push, load, *_, pop = code.values()
    assert push == Instruction(Kind.STORE_MULTIPLE, 5, False, "sum", None, 0x1000_0002)
    assert (load.previous, load.following) == (0x1000_0000, 0x1000_0006)
    assert pop.always_jumps


def test_estimate() -> None:
    """Ten times around the loop: nine jumps back, and the return."""
    code = dict(_instructions(LISTING))
    first, load, subtract, branch, last = code
    executed = {first: 1, load: 10, subtract: 10, branch: 10, last: 1}
    timing = Timing("this test", {Kind.LOAD: 2}, jump=3)
    assert estimated_cycles(timing, code, executed) == 6 + 20 + 10 + (10 + 9 * 3) + (6 + 3)


def test_estimate_of_neighbours() -> None:
    load = Instruction(Kind.LOAD, 2, False, "f", None, 2)
    again = Instruction(Kind.LOAD, 2, False, "f", 0, 4)
    timing = Timing("this test", {Kind.LOAD: 2}, follows={(Kind.LOAD, Kind.LOAD): 1})
    assert estimated_cycles(timing, {0: load, 2: again}, {0: 5, 2: 5}) == 15


@pytest.mark.parametrize(
    ("cpu", "isa", "peak"),
    [
        (CortexM.M0, Isa.SCALAR, 0.5),
        (CortexM.M3, Isa.SCALAR, 1),
        (CortexM.M33, Isa.SCALAR, 1),
        (CortexM.M4, Isa.DSP, 2),
        (CortexM.M55, Isa.MVE, 8),
    ],
)
def test_limits(cpu: CortexM, isa: Isa, peak: float) -> None:
    assert peak_macs_per_cycle(CortexMTargetConfig(cpu, isa)) == peak
    assert TIMINGS[cpu].source


@pytest.fixture(scope="module")
def profiled(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Profile]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CORTORCH_BUILD_DIR", str(tmp_path_factory.mktemp("profile")))
        yield profile(Program.load(model), default_board())


@pytest.mark.emulator
def test_costs_add_up(profiled: Profile, model: Path) -> None:
    assert [row.node for row in profiled.rows] == [c.name for c in Program.load(model).static.calls]
    for row in profiled.rows:
        cost = row.cost
        assert cost.functions is not None
        assert cost.kinds is not None
        assert sum(cost.functions.values()) == sum(cost.kinds.values()) == cost.insns
        assert row.kernel in cost.functions
        assert cost.cycles is not None
    shares = [profiled.share(row.cost) for row in profiled.rows]
    assert sum(shares) + profiled.share(profiled.executor) == pytest.approx(1)


@pytest.mark.emulator
def test_views(profiled: Profile, capsys: pytest.CaptureFixture[str]) -> None:
    profile_views.show(profiled)
    shown = capsys.readouterr().out
    loaded = json.loads(profile_views.json_text(profiled))
    page = profile_views.html(profiled)
    HTMLParser().feed(page)
    assert "http" not in page, "needs nothing from elsewhere"
    for row, as_json in zip(profiled.rows, loaded["rows"], strict=True):
        assert row.node in shown
        assert row.node in page
        assert (as_json["kernel"], as_json["cost"]["insns"]) == (row.kernel, row.cost.insns)
    assert loaded["total"]["insns"] == profiled.insns
    assert "est. cycles" in shown


def test_board_without_any_counter(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTORCH_BUILD_DIR", str(model.parent / "build"))
    with pytest.raises(DeviceError, match="no cycle counter"):
        profile(Program.load(model), HOST)


def test_cycles_that_a_core_counts(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counter stands at all of the steps so far."""
    monkeypatch.setenv("CORTORCH_BUILD_DIR", str(model.parent / "build"))
    sums = count(100, 100)
    monkeypatch.setattr(Device, "cycles", lambda self: next(sums))
    found = profile(Program.load(model), HOST)
    assert [row.cost.cycles for row in found.rows] == [100] * len(found.rows)
    assert found.insns is None
    assert found.is_measured
    share = f"{1 / len(found.rows):.1%}"
    assert profile_views.cells(found, found.rows[0])[4:9] == ("", "", share, "", "100")


@pytest.mark.emulator
def test_command(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CORTORCH_BUILD_DIR", str(tmp_path / "build"))
    page = tmp_path / "profile.html"
    words = ["profile", model, "-i", model.with_name("x.npy"), "--html", page, "--json"]
    assert main([str(word) for word in words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["board"] == default_board()
    assert f"<title>{found['model']} on {default_board()}</title>" in page.read_text()
