"""Reads a .pte into a ``StaticProgram`` and refuses whatever does not add up.

The file is treated as hostile: every index, count, shape and size is checked before it is used, and
every problem is a ``PteError`` that names the file and the place. A file saved by ``cortorch`` ends
with a seal (SPEC.md, "Sealed .pte"), which detects any changed byte; files from elsewhere are
accepted without one.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NoReturn

import torch
from executorch.exir import schema
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.exir.scalar_type import ScalarType

from cmsis_nn_ops.op_def import NAMESPACE
from cortorch.edge.quant_info import QParams
from cortorch.errors import PteError
from cortorch.forms import translation
from cortorch.forms.ir import Argument, Call, Port, StaticProgram, Value, Written

SEAL_MAGIC = b"CTSEAL01"
SEAL_BYTES = len(SEAL_MAGIC) + hashlib.sha256().digest_size
METADATA_METHOD = "cortorch_metadata"
VIEW_OPERATORS = ("aten::view_copy", "executorch_prim::et_view")
CLONE_OPERATOR = "dim_order_ops::_clone_dim_order"
MAX_RANK = 8

DTYPES = {
    ScalarType.BYTE: torch.uint8,
    ScalarType.CHAR: torch.int8,
    ScalarType.SHORT: torch.int16,
    ScalarType.INT: torch.int32,
    ScalarType.LONG: torch.int64,
    ScalarType.FLOAT: torch.float32,
    ScalarType.BOOL: torch.bool,
}


def seal(data: bytes) -> bytes:
    """Appends the digest that ``read`` verifies; ExecuTorch's loader ignores bytes behind the last
    segment."""
    return data + SEAL_MAGIC + hashlib.sha256(data).digest()


def _unsealed(data: bytes, origin: str) -> bytes:
    footer = data[-SEAL_BYTES:]
    if not footer.startswith(SEAL_MAGIC):
        return data
    body = data[:-SEAL_BYTES]
    if hashlib.sha256(body).digest() != footer[len(SEAL_MAGIC) :]:
        raise PteError(
            f"{origin}: the file is damaged: its seal (SHA-256) does not match its content. Copy "
            "or export it again."
        )
    return body


def read(source: Path | bytes, method: str = "forward") -> StaticProgram:
    """The program of one method of a .pte file (path or content).

    Raises:
        PteError: unreadable, damaged, not an ExecuTorch program, or using what the static form does
        not have.
    """
    origin = "<bytes>" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except OSError as error:
        raise PteError(f"{origin}: cannot be read: {error.strerror}") from error
    body = _unsealed(data, origin)
    if body[4:6] != b"ET":
        raise PteError(
            f"{origin}: not an ExecuTorch program (no 'ET..' identifier at byte 4; {len(data)} "
            "bytes)"
        )
    try:
        result = _parse(body, method, origin)
    except PteError:
        raise
    except Exception as error:  # the parser raises, or leaves out, whatever a bad offset leads to
        raise PteError(
            f"{origin}: truncated or damaged: the program cannot be parsed "
            f"({type(error).__name__}: {error}). Export it again."
        ) from error
    result.pte_sha256 = hashlib.sha256(data).digest()
    return result


def _parse(body: bytes, method: str, origin: str) -> StaticProgram:
    program = deserialize_pte_binary(body).program
    plans = {plan.name: plan for plan in program.execution_plan}
    if method not in plans:
        raise PteError(f"{origin}: has no method {method!r}, only {sorted(plans)}")
    result = _Reader(origin, program, plans[method]).read()
    _apply_metadata(result, _metadata(plans, origin), origin)
    return result


def _metadata(plans: dict[str, schema.ExecutionPlan], origin: str) -> dict[str, Any]:
    plan = plans.get(METADATA_METHOD)
    if plan is None:
        return {}
    try:
        found = json.loads(plan.values[plan.outputs[0]].val.string_val)
    except (ValueError, AttributeError, IndexError) as error:
        raise PteError(
            f"{origin}: method {METADATA_METHOD!r} does not hold JSON ({error})"
        ) from error
    return found if isinstance(found, dict) else {}


def _apply_metadata(program: StaticProgram, metadata: dict[str, Any], origin: str) -> None:
    program.metadata = metadata
    for ports, key in ((program.inputs, "inputs"), (program.outputs, "outputs")):
        entries = metadata.get(key, [])
        if entries and len(entries) != len(ports):
            raise PteError(
                f"{origin}: metadata lists {len(entries)} {key}, the program has {len(ports)}"
            )
        for port, entry in zip(ports, entries, strict=False):
            port.name = str(entry["name"])
            if entry.get("scale") is not None:
                port.qparams = QParams(float(entry["scale"]), int(entry["zero_point"]))
    names = metadata.get("nodes", [])
    if len(names) == len(program.calls):
        for call, name in zip(program.calls, names, strict=True):
            call.name = str(name)
    sources = metadata.get("sources", [])
    if len(sources) == len(program.calls):
        pairs = zip(program.calls, sources, strict=True)
        program.sources = {call.name: str(source) for call, source in pairs}


class _Reader:
    def __init__(self, origin: str, program: schema.Program, plan: schema.ExecutionPlan) -> None:
        self.origin = origin
        self.program = program
        self.plan = plan
        self.defined: dict[int, Value] = {}
        self.writers: dict[tuple[int, int], Value] = {}
        self.unknown: dict[str, int] = {}
        self.numbers: dict[int, int] = {}

    def fail(self, what: str) -> NoReturn:
        raise PteError(f"{self.origin}: method {self.plan.name!r}: {what}")

    def read(self) -> StaticProgram:
        inputs = [Port(f"input{n}", self._input(i, n)) for n, i in self._tensor_inputs()]
        if len(self.plan.chains) != 1:
            self.fail(f"has {len(self.plan.chains)} instruction chains; exactly one is supported")
        calls = []
        for number, instruction in enumerate(self.plan.chains[0].instructions or []):
            call = self._instruction(number, instruction.instr_args)
            if call is not None:
                calls.append(call)
        if self.unknown:
            listed = ", ".join(f"{name} ({count}x)" for name, count in sorted(self.unknown.items()))
            self.fail(
                f"uses operators that have no kernel here: {listed}. Quantize the module with "
                "CortexMQuantizer and "
                "lower it with CortexMPassManager; `cortorch report` says why a node stayed in "
                "ATen."
            )
        tensors = [
            i for i in self.plan.outputs if isinstance(self._raw(i), schema.Tensor)
        ]  # others are constants
        outputs = [Port(f"output{n}", self._value(i)) for n, i in enumerate(tensors)]
        return StaticProgram(self.plan.name, calls, inputs, outputs)

    def _raw(self, index: int) -> Any:
        if not 0 <= index < len(self.plan.values):
            self.fail(f"refers to value {index} of {len(self.plan.values)}")
        if index in self.numbers:
            self.fail(f"uses input {self.numbers[index]}; only tensors can be given at run time")
        return self.plan.values[index].val

    def _tensor_inputs(self) -> list[tuple[int, int]]:
        """Number and value of each. A number that ``forward`` takes is a constant of the program
        since its export; its place among the inputs has no meaning."""
        listed = list(enumerate(self.plan.inputs))
        tensors = [(n, i) for n, i in listed if isinstance(self._raw(i), schema.Tensor)]
        self.numbers = {i: n for n, i in listed if (n, i) not in tensors}
        return tensors

    def _input(self, index: int, number: int) -> Value:
        return self._define(index, f"input{number}")

    def _define(self, index: int, name: str) -> Value:
        """A new value for tensor ``index``, written now."""
        if index in self.defined:
            self.fail(f"writes value {index} twice; mutated state is not supported")
        value = self._tensor(index, name)
        if value.data is not None:
            self.fail(f"writes to the constant {index}")
        self.defined[index] = value
        place = self._place(index)
        if place is not None:
            self.writers[place] = value
        return value

    def _place(self, index: int) -> tuple[int, int] | None:
        info = self._raw(index).allocation_info
        return None if info is None else (info.memory_id, info.memory_offset)

    def _value(self, index: int) -> Value:
        """The value that tensor ``index`` holds at this point of the program."""
        if index in self.defined:
            return self.defined[index]
        if not isinstance(self._raw(index), schema.Tensor):
            self.fail(
                f"value {index} is used as a tensor but is a {type(self._raw(index)).__name__}"
            )
        value = self._tensor(index, f"value{index}")
        if value.data is None:
            value.view_of = self._elided_view(index, value)
        self.defined[index] = value
        return value

    def _elided_view(self, index: int, value: Value) -> Value:
        """ExecuTorch drops static views: the view is a tensor nobody writes, placed where its base
        is."""
        place = self._place(index)
        base = self.writers.get(place) if place is not None else None
        if base is None or base.bytes != value.bytes:
            self.fail(f"value {index} {list(value.shape)} is read but nothing writes it")
        self._check_view(f"value {index}", base, value)
        return base

    def _check_view(self, where: str, base: Value, view: Value) -> None:
        if view.bytes != base.bytes or view.dtype != base.dtype:
            self.fail(f"{where}: view of {list(base.sizes)} as {list(view.sizes)}")
        order = base.order or view.order
        if order is not None and (base.order, base.sizes) != (view.order, view.sizes):
            self.fail(f"{where}: view of a tensor that is stored in dim order {list(order)}")

    def _tensor(self, index: int, name: str) -> Value:
        raw = self._raw(index)
        where = f"tensor {index}"
        if not isinstance(raw, schema.Tensor):
            self.fail(f"{where} is a {type(raw).__name__}")
        dtype = DTYPES.get(raw.scalar_type)
        if dtype is None:
            self.fail(f"{where} has unsupported dtype {raw.scalar_type!r}")
        sizes = [int(s) for s in raw.sizes]
        if len(sizes) > MAX_RANK or any(s < 0 for s in sizes):
            self.fail(
                f"{where} has sizes {sizes}; at most {MAX_RANK} non-negative ones are supported"
            )
        if raw.shape_dynamism == schema.TensorShapeDynamism.DYNAMIC_UNBOUND:
            self.fail(f"{where} has a dynamic shape; export with static shapes")
        if sorted(raw.dim_order) != list(range(len(sizes))):
            self.fail(f"{where} has dim order {list(raw.dim_order)} for {len(sizes)} dimensions")
        shape, order = translation.in_memory(sizes, raw.dim_order)
        value = Value(name, shape, dtype, order=order)
        if raw.data_buffer_idx > 0:
            value.data = self._constant(where, value, raw)
        return value

    def _constant(self, where: str, value: Value, raw: schema.Tensor) -> torch.Tensor:
        buffers = self.program.constant_buffer
        if raw.data_buffer_idx >= len(buffers):
            self.fail(f"{where} refers to constant {raw.data_buffer_idx} of {len(buffers)}")
        if raw.storage_offset != 0:
            self.fail(
                f"{where} starts at offset {raw.storage_offset} of its constant; only 0 is "
                "supported"
            )
        storage = bytes(buffers[raw.data_buffer_idx].storage)
        if len(storage) < value.bytes:
            self.fail(
                f"{where} {list(value.shape)} needs {value.bytes} bytes; its constant has "
                f"{len(storage)}"
            )
        if value.bytes == 0:
            return torch.empty(value.shape, dtype=value.dtype)
        buffer = bytearray(storage[: value.bytes])
        return torch.frombuffer(buffer, dtype=value.dtype).reshape(value.shape).clone()

    def _instruction(self, number: int, instruction: schema.InstructionArguments) -> Call | None:
        if isinstance(instruction, schema.FreeCall):
            return None
        if not isinstance(instruction, schema.KernelCall):
            self.fail(
                f"instruction {number} is a {type(instruction).__name__}; the static form has "
                "straight-line programs "
                "without delegates"
            )
        if not 0 <= instruction.op_index < len(self.plan.operators):
            self.fail(f"instruction {number} refers to operator {instruction.op_index}")
        name = self.plan.operators[instruction.op_index].name
        if name in VIEW_OPERATORS:
            self._view(number, instruction.args)
            return None
        if name == CLONE_OPERATOR:
            return self._clone(number, instruction.args)
        return self._call(number, name, instruction.args)

    def _view(self, number: int, args: list[int]) -> None:
        if len(args) < 3:
            self.fail(f"instruction {number}: a view with {len(args)} arguments")
        base = self._value(args[0])
        view = self._define(args[2], f"view{args[2]}")
        self._check_view(f"instruction {number}", base, view)
        if base.storage.data is not None:
            view.data = base.tensor().reshape(view.shape)
        else:
            view.view_of = base

    def _clone(self, number: int, args: list[int]) -> Call | None:
        """A copy in another dim order."""
        if len(args) < 4:
            self.fail(f"instruction {number}: a clone with {len(args)} arguments")
        source = self._value(args[0])
        out = self._define(args[3], f"clone_{number}")
        if (source.sizes, source.dtype) != (out.sizes, out.dtype):
            self.fail(f"instruction {number}: clone of {list(source.sizes)} as {list(out.sizes)}")
        if source.order == out.order:
            out.view_of = source
            return None
        return self._checked(number, translation.copied(source, out, out.name))

    def _call(self, number: int, name: str, args: list[int]) -> Call | None:
        is_ours = name.startswith(f"{NAMESPACE}::")
        op = translation.declaration(name.removeprefix(f"{NAMESPACE}::")) if is_ours else None
        if op is None:
            self.unknown[name] = self.unknown.get(name, 0) + 1
            for index in args[-1:]:
                if isinstance(self._raw(index), schema.Tensor) and index not in self.defined:
                    self._define(index, f"{name}:{number}")
            return None
        names = op.argument_names
        if len(args) < len(names) + 1:
            self.fail(
                f"instruction {number}: {name} has {len(args)} arguments, its schema {len(names)} "
                "and an output"
            )
        bound: dict[str, Argument] = {
            key: None if key in op.ignored else self._argument(index)
            for key, index in zip(names, args, strict=False)
        }
        for key in op.dtype_arguments:
            bound[key] = self._dtype(bound[key])
        out = self._define(args[len(names)], f"{op.name}_{number}")
        try:
            call = translation.translated(Written(op, bound, out), out.name)
        except (LookupError, TypeError, ValueError, RuntimeError) as error:
            self.fail(f"instruction {number} ({name}): {error}")
        return self._checked(number, call)

    def _argument(self, index: int) -> Argument:
        raw = self._raw(index)
        match raw:
            case schema.Tensor():
                return self._value(index)
            case schema.Null():
                return None
            case schema.Int():
                return raw.int_val
            case schema.Bool():
                return raw.bool_val
            case schema.Double():
                return float(raw.double_val)
            case schema.String():
                return raw.string_val
            case schema.IntList():
                return [self._int(i) for i in raw.items]
            case schema.DoubleList() | schema.BoolList():
                return list(raw.items)
            case schema.TensorList():
                return [self._value(i) for i in raw.items]
            case _:
                return self.fail(f"value {index} has the unsupported type {type(raw).__name__}")

    def _dtype(self, argument: Argument) -> torch.dtype:
        known = {int(k): v for k, v in DTYPES.items()}
        if not isinstance(argument, int) or argument not in known:
            self.fail(f"{argument!r} is not a supported dtype")
        return known[argument]

    def _int(self, index: int) -> int:
        raw = self._raw(index)
        if not isinstance(raw, schema.Int):
            self.fail(f"value {index} is used as an int but is a {type(raw).__name__}")
        return raw.int_val

    def _checked(self, number: int, call: Call) -> Call:
        """Constants are constants, the constraints hold, the output is what the operator makes."""
        where = f"instruction {number} ({call.op.name})"
        for name in call.op.constants:
            argument = call.args[name]
            if isinstance(argument, Value) and argument.storage.data is None:
                self.fail(f"{where}: argument {name!r} must be a constant")
        try:
            args = call.bound()
            broken = call.op.violated(args)
            made = None if broken else call.op.fake(args)
        except Exception as error:  # shapes that make no sense fail anywhere
            self.fail(
                f"{where}: arguments do not fit the operator ({type(error).__name__}: {error})"
            )
        if broken is not None:
            self.fail(f"{where}: violates {broken.id}: {broken.text}")
        assert made is not None
        if tuple(made.shape) != call.out.shape or made.dtype != call.out.dtype:
            self.fail(
                f"{where}: output is {call.out.dtype} {list(call.out.shape)}, the operator makes "
                f"{made.dtype} {list(made.shape)}"
            )
        return call
