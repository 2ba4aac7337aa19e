"""Board files: the ones here are right, and a wrong one is refused with file, key and remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from cortorch.errors import BoardError, TargetError
from cortorch.images.board import ROLES, default_board, list_boards, load_board, read_board
from cortorch.target import CortexM, CortexMTargetConfig, Fpu, Isa, parse_target

RAM = {"origin": 0x2000_0000, "bytes": "64K", "access": "rw", "roles": ["arena", "stack", "data"]}
FLASH = {"origin": 0, "bytes": "1M", "access": "rx", "roles": ["vectors", "code", "weights"]}
GOOD: dict[str, Any] = {
    "description": "A board",
    "target": {"cpu": "cortex-m4"},
    "clock_hz": 1_000_000,
    "memories": {"flash": FLASH, "ram": RAM},
    "stack_bytes": "2K",
    "uart": {"driver": "cmsdk", "base": 0x4000_4000, "clock_hz": 1_000_000, "baud": 9600, "irq": 1},
    "runners": {"qemu": {"machine": "virt"}},
}


def memories(**changes: dict[str, Any]) -> dict[str, Any]:
    both = {"flash": FLASH, "ram": RAM}
    return {"memories": {name: {**facts, **changes.get(name, {})} for name, facts in both.items()}}


BAD = {
    "missing-key": ({"clock_hz": None}, "clock_hz: is missing"),
    "unknown-key": ({"clock": 1}, r"clock: is not a known key; did you mean 'clock_hz'\?"),
    "unknown-cpu": (
        {"target": {"cpu": "cortex-a53"}},
        "target.cpu: must be one of host, c",
    ),
    "impossible-isa": ({"target": {"cpu": "cortex-m0", "isa": "mve"}}, "cortex-m0 cannot have isa"),
    "overlap": (memories(ram={"origin": 0xFFFFF}), "memories.ram: overlaps 'flash' by 1 bytes"),
    "beyond-4g": (memories(ram={"origin": 0xFFFF_FFFF}), "memories.ram.bytes: .* 4 GB"),
    "no-owner": (memories(ram={"roles": ["stack"]}), "role 'arena' must belong to one memory"),
    "two-owners": (memories(ram={"roles": list(ROLES)}), "access: role 'vectors' needs 'x'"),
    "read-only": (memories(ram={"access": "r"}), "memories.ram.access: role 'arena' needs 'w'"),
    "bad-size": (memories(ram={"bytes": "64 apples"}), "memories.ram.bytes: must be a number"),
    "negative": (memories(ram={"origin": -1}), "memories.ram.origin: must be a number"),
    "bad-role": (memories(ram={"roles": ["heap"]}), "memories.ram.roles: must be out of"),
    "odd-stack": ({"stack_bytes": 100}, "stack_bytes: must be a multiple of 8"),
    "small-frame": ({"frame_bytes": 100}, "frame_bytes: must be 256 to 65535"),
    "no-driver": ({"uart": {"driver": "smoke"}}, "uart.driver: must be one of"),
    "no-runner": ({"runners": {}}, "runners: must name at least one of: qemu"),
    "odd-runner": ({"runners": {"quemu": {}}}, r"runners.quemu: .* did you mean 'qemu'\?"),
    "runner-fact": ({"runners": {"qemu": {"machine": 7}}}, "runners.qemu.machine: must be text"),
    "crc-of-nothing": ({"boot_crc": True}, "boot_crc: needs a memory that has the role 'boot'"),
    "not-a-mapping": ({"uart": 3}, "uart: must be a mapping"),
}


def board_file(folder: Path, changes: dict[str, Any]) -> Path:
    facts = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    path = folder / "board.yml"
    path.write_text(yaml.safe_dump(facts))
    return path


@pytest.mark.parametrize("name", list_boards())
def test_board_is_right(name: str) -> None:
    board = load_board(name)
    assert board.name == name
    assert board.runner() is board.runner(next(iter(board.runners)))
    assert board.is_host or {role for m in board.memories for role in m.roles} >= set(ROLES)


def test_good_board(tmp_path: Path) -> None:
    board = read_board(board_file(tmp_path, {}))
    assert board.memory("arena").bytes == 64 << 10
    assert board.target == CortexMTargetConfig(CortexM.M4, Isa.DSP, Fpu.SINGLE)
    assert 0x2000_FFFF in board.memory("stack")
    assert 0x2001_0000 not in board.memory("stack")


@pytest.mark.parametrize("name", BAD)
def test_bad_board(tmp_path: Path, name: str) -> None:
    changes, message = BAD[name]
    path = board_file(tmp_path, changes)
    with pytest.raises(BoardError, match=message) as caught:
        read_board(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("text", ["a: [", "a: 1\na: 2\n", "- a\n", "\0"])
def test_not_even_a_mapping(tmp_path: Path, text: str) -> None:
    path = tmp_path / "board.yml"
    path.write_text(text)
    with pytest.raises(BoardError, match=r"board\.yml"):
        read_board(path)


@pytest.mark.parametrize("name", ["nonesuch", "../boards", ""])
def test_unknown_board(name: str) -> None:
    with pytest.raises(BoardError, match=f"no board '{name}'; there are: .*{default_board()}"):
        load_board(name)


def test_unknown_runner() -> None:
    with pytest.raises(BoardError, match="has no runner 'jtag'; it has: "):
        load_board(default_board()).runner("jtag")


@pytest.mark.parametrize("cpu", CortexM)
def test_target(cpu: CortexM) -> None:
    target = CortexMTargetConfig(cpu)
    assert parse_target(target.target_string) == target
    assert target.isa == cpu.core.isa
    plain = CortexMTargetConfig(cpu, Isa.SCALAR, Fpu.NONE)
    assert plain.compile_flags[1] == "-mfloat-abi=soft"


@pytest.mark.parametrize("text", ["cortex-m99", "", "Cortex-M4"])
def test_unknown_target(text: str) -> None:
    with pytest.raises(TargetError, match="one of: cortex-m0, "):
        parse_target(text)
