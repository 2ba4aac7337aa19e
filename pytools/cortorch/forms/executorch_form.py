"""The executorch form: a .pte in the real ExecuTorch runtime, its operators being our kernels.

The parameters of a kernel depend on its arguments in ways that only Python knows, and that no
device should compute. So the steps of the baked model serve: a table says which step a call is, by
the dtypes, sizes and numbers that it must have. The tensors are the runtime's own, and so are the
weights.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import torch

from cmsis_nn_ops import Declaration
from cmsis_nn_ops.op_def import NAMESPACE
from cortorch.errors import BakeError, DeviceError
from cortorch.forms import signature
from cortorch.forms.arena import Buffer
from cortorch.forms.executorch_library import library, served
from cortorch.forms.host import HostModel
from cortorch.forms.ir import Value, values_in
from cortorch.forms.plan import LIST_MARK, MAX_OPERANDS, Constant, Step, operand_order
from cortorch.forms.signature import Words
from cortorch.on_device.protocol.status import library_status

_NONE, _SCRATCH, _CONSTANT = -1, -2, 0x40000000


class _Call(ctypes.Structure):
    """ct_executorch_call of ct_executorch.h."""

    _fields_ = [
        ("op", ctypes.c_uint32),
        ("step", ctypes.c_uint32),
        ("signature", ctypes.POINTER(ctypes.c_int64)),
        ("signature_words", ctypes.c_uint32),
        ("scratch_bytes", ctypes.c_uint32),
        ("operand_count", ctypes.c_uint32),
        ("operands", ctypes.c_int32 * MAX_OPERANDS),
    ]


class _Failure(ctypes.Structure):
    """ct_executorch_failure of ct_executorch.h."""

    _fields_ = [
        ("op", ctypes.c_int32),
        ("status", ctypes.c_int32),
        ("argument", ctypes.c_int32),
        ("signature", ctypes.POINTER(ctypes.c_int64)),
        ("signature_words", ctypes.c_uint32),
    ]


Key = tuple[str, tuple[Words, ...]]
"""An operator and the words of its arguments."""


class ExecutorchModel:
    """Runs programs whose calls are those of a baked model.

    Args:
        host: the model as ``HostLibrary`` made it, which lends kernels and parameters.
    """

    def __init__(self, host: HostModel) -> None:
        self.name = host.name
        self._host = host
        self._calls = _distinct(host.plan.steps)

    def run(self, pte: bytes, *inputs: torch.Tensor) -> list[torch.Tensor]:
        """One inference of the method ``forward``, on tensors with the strides of the .pte's.

        Raises:
            DeviceError: the runtime cannot load the program, or a kernel refuses its arguments.
        """
        from executorch.runtime import Runtime

        code = library()
        table = self._table
        code.ct_executorch_use(ctypes.c_void_p(self._host.address), table, len(table))
        try:
            method = Runtime.get().load_program(pte).load_method("forward")
            results = method.execute(inputs)
        except RuntimeError as error:
            failure = _Failure()
            code.ct_executorch_last_failure(ctypes.byref(failure))
            reason = self._reason(failure) if failure.op >= 0 else str(error)
            raise DeviceError(f"{self.name} in the ExecuTorch runtime: {reason}") from error
        finally:
            code.ct_executorch_use(None, None, 0)
        return [y for y in results if isinstance(y, torch.Tensor)]

    @cached_property
    def _table(self) -> ctypes.Array[_Call]:
        rows = [_row(number, step) for number, step in self._calls.values()]
        return (_Call * len(rows))(*rows)

    def _reason(self, failure: _Failure) -> str:
        op = served()[failure.op]
        passed = signature.split(failure.signature[: failure.signature_words])
        known = [words for name, words in self._calls if name == op.name]
        what = f"{NAMESPACE}::{op.name}: "
        if failure.argument >= 0:
            name = (*op.argument_names, "out")[failure.argument]
            return (
                f"{what}argument {name!r} is missing, of a wrong kind, not contiguous or misaligned"
            )
        if passed in known:
            return what + library_status(failure.status)
        return what + _difference(op, passed, known)


def _distinct(steps: Sequence[Step]) -> dict[Key, tuple[int, Step]]:
    """The first step, with its number, for each call that differs from the others."""
    found: dict[Key, tuple[int, Step]] = {}
    for number, step in enumerate(steps):
        written = step.call.written
        key = written.op.name, signature.of_call(written)
        _, first = found.setdefault(key, (number, step))
        if first is not step and _work(first) != _work(step):
            raise BakeError(
                f"{first.call.name} and {step.call.name} have the same arguments but not the same "
                f"parameters: {step.kernel.function} cannot serve the executorch form"
            )
    return found


def _work(step: Step) -> tuple[object, ...]:
    return step.kernel.function, step.params, list(_operands(step))


def _row(number: int, step: Step) -> _Call:
    written = step.call.written
    words = [word for argument in signature.of_call(written) for word in argument]
    operands = list(_operands(step))
    return _Call(
        op=served().index(written.op),
        step=number,
        signature=(ctypes.c_int64 * len(words))(*words),
        signature_words=len(words),
        scratch_bytes=step.scratch_bytes,
        operand_count=len(operands),
        operands=(ctypes.c_int32 * MAX_OPERANDS)(*operands),
    )


def _operands(step: Step) -> Iterator[int]:
    """For each operand of the kernel its index among the tensors of the call."""
    call = step.call
    tensors = [v.storage for a in call.written.arguments().values() for v in values_in(a)]
    for value, home in zip(_values(step), step.operands, strict=True):
        if value is None and isinstance(home, Constant):
            yield _CONSTANT | home.offset
        elif value is None:
            yield _SCRATCH if isinstance(home, Buffer) else _NONE
        else:
            yield tensors.index(value.storage)


def _values(step: Step) -> Iterator[Value | None]:
    """The tensor of each operand; None for scratch, tables, and arguments that are absent."""
    arguments = {**step.call.args, "out": step.call.out}
    for operand in operand_order(step.kernel):
        name = operand.removesuffix(LIST_MARK)
        if name in arguments:
            yield from values_in(arguments[name]) if arguments[name] is not None else (None,)
        elif name == "scratch" or _is_table(step, name):
            yield None
        else:
            raise BakeError(
                f"{step.call.name}: {step.kernel.function} needs packed constants ({name}); the "
                "executorch form has only what the program holds"
            )


def _is_table(step: Step, name: str) -> bool:
    """A constant of the kernel that depends on no data of the program."""
    arguments = {n: _without_data(a) for n, a in vars(step.call.bound()).items()}
    try:
        return not step.kernel.pack(SimpleNamespace(**arguments))[name].is_meta
    except (RuntimeError, NotImplementedError):  # it reads data
        return False


def _without_data(argument: Any) -> Any:
    if isinstance(argument, list):
        return [_without_data(a) for a in argument]
    return argument.to("meta") if isinstance(argument, torch.Tensor) else argument


def _difference(
    op: Declaration, passed: tuple[Words, ...], known: Sequence[tuple[Words, ...]]
) -> str:
    """What sets the arguments apart from those of the program's most similar call."""
    if not known:
        return "the program has no call of it"
    names = [*(name for name in op.argument_names if name not in op.ignored), "out"]
    nearest = max(known, key=lambda wanted: sum(map(tuple.__eq__, wanted, passed)))
    return "; ".join(
        f"argument {name!r} is {signature.text(got)}, the program has {signature.text(wanted)}"
        for name, got, wanted in zip(names, passed, nearest, strict=True)
        if got != wanted
    )
