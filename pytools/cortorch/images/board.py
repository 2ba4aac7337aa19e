"""Boards: what boards/<board>/board.yml says, checked.

Everything that is wrong in such a file is a BoardError that names the file, the key and the remedy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import yaml

from cortorch.errors import BoardError, TargetError
from cortorch.images.settings import Settings
from cortorch.on_device import runners
from cortorch.on_device.protocol.messages import MAX_FRAME_BYTES, MIN_FRAME_BYTES
from cortorch.on_device.runners import Runner, SerialRunner
from cortorch.paths import boards_dir, firmware_dir
from cortorch.target import CortexM, CortexMTargetConfig, Fpu, HostTarget, Isa, Target

# What each role of a memory must be able to do, beyond being read.
ROLES = {"vectors": "x", "code": "x", "weights": "", "arena": "w", "stack": "w", "data": "w"}

# Where a board has it, an image's boot header, or boot code, has a memory of its own.
BOOT_ROLE = "boot"

# What a transfer costs besides data is 16 bytes a frame.
FRAME_BYTES = 1024


@dataclass(frozen=True)
class Memory:
    name: str
    origin: int
    bytes: int
    access: str
    """Letters out of `rwx`."""
    roles: tuple[str, ...]

    @property
    def end(self) -> int:
        return self.origin + self.bytes

    def __contains__(self, address: int) -> bool:
        return self.origin <= address < self.end


@dataclass(frozen=True)
class Uart:
    driver: str
    """File firmware/uart/<driver>.c."""
    facts: Mapping[str, int]
    """Reaches the driver as CT_UART_<KEY>."""


@dataclass(frozen=True)
class Board:
    name: str
    folder: Path
    description: str
    target: Target
    clock_hz: int
    memories: tuple[Memory, ...]
    stack_bytes: int
    frame_bytes: int
    """Largest frame that the validate app takes."""
    boot_crc: bool
    """The last word of the boot memory is the CRC of the others."""
    uart: Uart
    runners: Mapping[str, Runner]
    """By name; the first is the default."""
    default: bool = False

    @property
    def is_host(self) -> bool:
        return isinstance(self.target, HostTarget)

    @property
    def needs_hardware(self) -> bool:
        """Its default runner does; else it runs on this PC."""
        return self.runner().needs_hardware

    def memory(self, role: str) -> Memory:
        """The memory with this role; every board but the host has one for each."""
        return next(m for m in self.memories if role in m.roles)

    @property
    def copies_weights(self) -> bool:
        """Weights are in RAM, which nobody fills before the start: they are copied from flash."""
        return "w" in self.memory("weights").access and "w" not in self.memory("code").access

    def placed(self, places: Mapping[str, str]) -> Board:
        """The board with roles (such as `weights` or `arena`) in memories of one's choice."""
        memories = list(self.memories)
        for role, name in places.items():
            if role not in ROLES or name not in {m.name for m in memories}:
                raise BoardError(
                    f"{role}={name}: board {self.name} has the roles {', '.join(ROLES)}, and the"
                    f" memories {', '.join(m.name for m in memories)}"
                )
            memories = [_with_role(m, role, m.name == name) for m in memories]
            if not set(ROLES[role]) <= set(self._access(name)):
                raise BoardError(
                    f"{role}={name}: the role needs '{ROLES[role]}', but {name}'s access is"
                    f" '{self._access(name)}'; choose another memory"
                )
        return replace(self, memories=tuple(memories))

    def _access(self, memory: str) -> str:
        return next(m.access for m in self.memories if m.name == memory)

    @property
    def boot(self) -> Memory | None:
        """The memory of the boot header or code, if it has one of its own."""
        return next((m for m in self.memories if BOOT_ROLE in m.roles), None)

    def runner(self, name: str | None = None) -> Runner:
        """The runner of that name, or the default one. Every board but the host has `serial`."""
        if name is None:
            return next(iter(self.runners.values()))
        if name == SerialRunner.name and not self.is_host:
            return SerialRunner()
        if name not in self.runners:
            known = ", ".join(self.runners)
            raise BoardError(f"board {self.name} has no runner '{name}'; it has: {known}")
        return self.runners[name]

    def sources(self) -> list[Path]:
        """C files of the board's own."""
        return sorted(self.folder.glob("*.c"))


def _with_role(memory: Memory, role: str, has: bool) -> Memory:
    others = tuple(r for r in memory.roles if r != role)
    return replace(memory, roles=(*others, role) if has else others)


def list_boards() -> list[str]:
    return sorted(path.parent.name for path in boards_dir().glob("*/board.yml"))


def default_board() -> str:
    """The board whose file says `default: true`."""
    chosen = [name for name in list_boards() if load_board(name).default]
    if len(chosen) != 1:
        raise BoardError(
            f"{len(chosen)} board files under {boards_dir()} say 'default: true'; exactly one must"
        )
    return chosen[0]


def load_board(name: str) -> Board:
    path = boards_dir() / name / "board.yml"
    if "/" in name or not path.is_file():
        raise BoardError(f"there is no board '{name}'; there are: {', '.join(list_boards())}")
    return read_board(path)


def read_board(path: Path) -> Board:
    """Reads and checks one board.yml; the board's name is that of its folder."""
    settings = Settings(_parse(path), path)
    target = _target(settings.section("target"))
    is_host = isinstance(target, HostTarget)
    board = Board(
        name=path.parent.name,
        folder=path.parent,
        description=settings.text("description"),
        target=target,
        clock_hz=settings.number("clock_hz", 0 if is_host else None),
        memories=() if is_host else _memories(settings.section("memories")),
        stack_bytes=settings.number("stack_bytes", 0 if is_host else None),
        frame_bytes=settings.number("frame_bytes", FRAME_BYTES),
        boot_crc=settings.flag("boot_crc"),
        uart=_uart(settings.section("uart")),
        runners=_runners(settings.section("runners")),
        default=settings.flag("default"),
    )
    if board.boot_crc and board.boot is None:
        raise settings.error("boot_crc", f"needs a memory that has the role '{BOOT_ROLE}'")
    if board.stack_bytes % 8:
        raise settings.error("stack_bytes", "must be a multiple of 8 (the stack's alignment)")
    if not MIN_FRAME_BYTES <= board.frame_bytes <= MAX_FRAME_BYTES:
        raise settings.error(
            "frame_bytes", f"must be {MIN_FRAME_BYTES} to {MAX_FRAME_BYTES} (docs/SPEC.md)"
        )
    settings.done()
    return board


class _Loader(yaml.SafeLoader):
    """Refuses a key that stands twice in a mapping; plain YAML takes the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[str, object]:
        values: dict[str, object] = super().construct_mapping(node, deep)
        if len(values) < len(node.value):
            raise yaml.constructor.ConstructorError(
                None, None, "a key stands twice in one mapping", node.start_mark
            )
        return values


def _parse(path: Path) -> object:
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except (OSError, UnicodeDecodeError) as error:
        raise BoardError(f"{path}: cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise BoardError(f"{path}: is not YAML: {error}") from None


def _target(settings: Settings) -> Target:
    cpu = settings.choice("cpu", ["host", *(cpu.value for cpu in CortexM)])
    if cpu == "host":
        settings.done()
        return HostTarget()
    isa = settings.choice("isa", [isa.name.lower() for isa in Isa], "")
    fpu = settings.choice("fpu", [fpu.name.lower() for fpu in Fpu], "")
    settings.done()
    core = CortexM(cpu)
    try:
        return CortexMTargetConfig(
            core,
            Isa[isa.upper()] if isa else core.core.isa,
            Fpu[fpu.upper()] if fpu else core.core.fpu,
        )
    except TargetError as error:
        raise settings.error("", f"{error}") from None


def _memories(settings: Settings) -> tuple[Memory, ...]:
    memories = [_memory(settings.section(name), name) for name in settings]
    settings.done()
    for role in ROLES:
        owners = [memory.name for memory in memories if role in memory.roles]
        if len(owners) != 1:
            found = " and ".join(owners) or "none"
            raise settings.error("", f"role '{role}' must belong to one memory; it has: {found}")
    if sum(BOOT_ROLE in memory.roles for memory in memories) > 1:
        raise settings.error("", f"role '{BOOT_ROLE}' must belong to at most one memory")
    in_order = sorted(memories, key=lambda memory: memory.origin)
    for low, high in pairwise(in_order):
        if high.origin < low.end:
            raise settings.error(
                high.name,
                f"overlaps '{low.name}' by {low.end - high.origin} bytes "
                f"({low.name} ends at {low.end:#x}, {high.name} starts at {high.origin:#x}); "
                "correct origin or bytes of one of them",
            )
    return tuple(memories)


def _memory(settings: Settings, name: str) -> Memory:
    memory = Memory(
        name,
        settings.number("origin"),
        settings.number("bytes"),
        settings.choice("access", ["r", "rx", "rw", "rwx"]),
        tuple(settings.texts("roles", [*ROLES, BOOT_ROLE])),
    )
    settings.done()
    if memory.bytes == 0 or memory.end > 1 << 32:
        raise settings.error("bytes", f"{memory.bytes} bytes do not lie below the 4 GB limit")
    for role in memory.roles:
        if not set(ROLES.get(role, "")) <= set(memory.access):
            raise settings.error(
                "access", f"role '{role}' needs '{ROLES[role]}', but access is '{memory.access}'"
            )
    return memory


def _uart(settings: Settings) -> Uart:
    drivers = sorted(path.stem for path in (firmware_dir() / "uart").glob("*.c"))
    driver = settings.choice("driver", drivers)
    return Uart(driver, {key: settings.number(key) for key in settings.rest()})


def _runners(settings: Settings) -> dict[str, Runner]:
    if not list(settings):
        raise settings.error("", f"must name at least one of: {', '.join(runners.names())}")
    settings.only(runners.names())
    return {name: runners.read(name, settings.section(name)) for name in settings}
