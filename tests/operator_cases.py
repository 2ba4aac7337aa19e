"""The operators' test inputs as static programs of one call each."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from cmsis_nn_ops import OpDef, operators
from cmsis_nn_ops.op_def import Args, Case
from cortorch.forms.ir import Argument, Call, Port, StaticProgram, Value


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

    def bound(self) -> Args:
        """The arguments, all with data, and ``out``."""
        args = self.op.bind(self.args())
        out = self.op.fake(args)
        args.out = torch.empty(out.shape, dtype=out.dtype, device="meta")
        return args

    def baked(self) -> Args:
        """The arguments as the baker sees them: only constants have data."""
        args = self.bound()
        for name in set(self.op.tensor_arguments) - set(self.op.constants):
            setattr(args, name, _to_meta(getattr(args, name)))
        return args

    def program(self) -> tuple[StaticProgram, list[torch.Tensor]]:
        """The call as a program, and its inputs."""
        return program_of(self.op, self.args(), self.id)


def _to_meta(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return torch.empty_like(value, device="meta")
    return [_to_meta(v) for v in value] if isinstance(value, list) else value


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors of an argument that is one, a list of them, or None."""
    return [t for t in (value if isinstance(value, list) else [value]) if t is not None]


def all_cases() -> Iterator[OperatorCase]:
    for op in operators().values():
        for case in importlib.import_module(f"cmsis_nn_ops.{op.name}.cases").CASES:
            yield OperatorCase(op, case)


def accepted() -> list[OperatorCase]:
    return [c for c in all_cases() if c.case.rejects is None]


def program_of(
    op: OpDef, args: dict[str, Any], name: str
) -> tuple[StaticProgram, list[torch.Tensor]]:
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
    program = StaticProgram(
        name, [Call(op, bound, out, name)], [port for port, _ in inputs], [Port("out", out)]
    )
    return program, [data for _, data in inputs]


def same_bytes(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Equal shape, dtype and bits (NaN payloads and the sign of zero included)."""
    return a.shape == b.shape and a.dtype == b.dtype and a.numpy().tobytes() == b.numpy().tobytes()
