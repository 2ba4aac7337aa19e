"""The operators' test inputs as static programs of one call each."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from cmsis_nn_ops import OpDef, operators
from cmsis_nn_ops.op_def import Case

from cortorch.ir import Argument, Call, Port, StaticProgram, Value


@dataclass(frozen=True)
class OperatorCase:
    op: OpDef
    case: Case

    @property
    def id(self) -> str:
        return f"{self.op.name}-{self.case.name}"

    def args(self) -> dict[str, Any]:
        """The arguments, from a seed that is the id."""
        seed = int.from_bytes(hashlib.sha256(self.id.encode()).digest()[:4], "little")
        return self.case.make(torch.Generator().manual_seed(seed))

    def program(self) -> tuple[StaticProgram, list[torch.Tensor]]:
        """The call as a program, and its inputs."""
        return program_of(self.op, self.args(), self.id)


def all_cases() -> Iterator[OperatorCase]:
    for op in operators().values():
        for case in importlib.import_module(f"cmsis_nn_ops.{op.name}.cases").CASES:
            yield OperatorCase(op, case)


def accepted() -> list[OperatorCase]:
    return [c for c in all_cases() if c.case.rejects is None]


def program_of(op: OpDef, args: dict[str, Any], name: str) -> tuple[StaticProgram, list[torch.Tensor]]:
    inputs: list[tuple[Port, torch.Tensor]] = []

    def value(key: str, argument: Any) -> Argument:
        if key in op.ignored:
            return None
        if isinstance(argument, list) and argument and isinstance(argument[0], torch.Tensor):
            return [tensor(f"{key}{i}", t, constant=False) for i, t in enumerate(argument)]
        if isinstance(argument, torch.Tensor):
            return tensor(key, argument, key in op.constants)
        return argument  # type: ignore[no-any-return]

    def tensor(key: str, data: torch.Tensor, constant: bool) -> Value:
        made = Value(key, tuple(data.shape), data.dtype, data if constant else None)
        if not constant:
            inputs.append((Port(key, made), data))
        return made

    bound = {key: value(key, argument) for key, argument in args.items()}
    result = op.fake(op.bind(args))
    out = Value("out", tuple(result.shape), result.dtype)
    program = StaticProgram(name, [Call(op, bound, out, name)], [port for port, _ in inputs], [Port("out", out)])
    return program, [data for _, data in inputs]


def same_bytes(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Equal shape, dtype and bits (NaN payloads and the sign of zero included)."""
    return a.shape == b.shape and a.dtype == b.dtype and a.numpy().tobytes() == b.numpy().tobytes()
