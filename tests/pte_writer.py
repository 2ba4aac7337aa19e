"""Static programs as .pte files: the inverse of ``pte.read``, with nothing checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from executorch.exir import schema
from executorch.exir._serialize._program import PTEFile, serialize_pte_binary
from executorch.exir.scalar_type import ScalarType

from cmsis_nn_ops.op_def import NAMESPACE
from cortorch.forms.ir import StaticProgram, Value
from cortorch.forms.pte import DTYPES

NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
ALIGNMENT = 16


def write(
    program: StaticProgram, ignored: Any = None, orders: Mapping[Value, Sequence[int]] | None = None
) -> bytes:
    """The program's .pte.

    Args:
        ignored: what the arguments that the static form drops become.
        orders: dim orders of tensors that are not contiguous.
    """
    return _Writer(ignored, orders or {}).write(program)


class _Writer:
    def __init__(self, ignored: Any, orders: Mapping[Value, Sequence[int]]) -> None:
        self.ignored = ignored
        self.orders = orders
        self.values: list[schema.EValue] = []
        self.buffers = [schema.Buffer(b"")]
        self.operators: list[schema.Operator] = []
        self.tensors: dict[Value, int] = {}
        self.bytes = 0

    def write(self, program: StaticProgram) -> bytes:
        instructions = [self._call(call) for call in program.calls]
        plan = schema.ExecutionPlan(
            name="forward",
            container_meta_type=schema.ContainerMetadata("", ""),
            values=self.values,
            inputs=[self._value(port.value) for port in program.inputs],
            outputs=[self._value(port.value) for port in program.outputs],
            chains=[schema.Chain([], [], instructions, None)],
            operators=self.operators,
            delegates=[],
            non_const_buffer_sizes=[0, self.bytes],
        )
        offsets = schema.SubsegmentOffsets(0, [])
        written = schema.Program(0, [plan], self.buffers, [], [], offsets)
        return bytes(serialize_pte_binary(PTEFile(written)))

    def _call(self, call: Any) -> schema.Instruction:
        self.operators.append(schema.Operator(f"{NAMESPACE}::{call.op.name}", "out"))
        arguments = [
            self._value(self.ignored if name in call.op.ignored else argument)
            for name, argument in call.args.items()
        ]
        out = self._value(call.out)
        instruction = schema.KernelCall(len(self.operators) - 1, [*arguments, out, out])
        return schema.Instruction(instruction)

    def _value(self, value: Any) -> int:
        if isinstance(value, Value):
            if value not in self.tensors:
                self.tensors[value] = self._add(self._tensor(value))
            return self.tensors[value]
        return self._add(self._plain(value))

    def _add(self, value: Any) -> int:
        self.values.append(schema.EValue(value))
        return len(self.values) - 1

    def _plain(self, value: Any) -> Any:
        match value:
            case None:
                return schema.Null()
            case bool():
                return schema.Bool(value)
            case int():
                return schema.Int(value)
            case float():
                return schema.Double(value)
            case torch.dtype():
                return schema.Int(int(NUMBERS[value]))
            case [Value(), *_]:
                return schema.TensorList([self._value(v) for v in value])
            case list() | tuple():
                return schema.IntList([self._value(v) for v in value])
        raise TypeError(type(value).__name__)

    def _tensor(self, value: Value) -> schema.Tensor:
        buffer, place = 0, None
        if value.data is not None:
            buffer = len(self.buffers)
            self.buffers.append(schema.Buffer(value.data.contiguous().numpy().tobytes()))
        else:
            place = schema.AllocationDetails(1, self.bytes, 0)
            self.bytes += -(-max(value.bytes, 1) // ALIGNMENT) * ALIGNMENT
        return schema.Tensor(
            scalar_type=ScalarType(NUMBERS[value.dtype]),
            storage_offset=0,
            sizes=list(value.shape),
            dim_order=list(self.orders.get(value, range(len(value.shape)))),
            requires_grad=False,
            layout=0,
            data_buffer_idx=buffer,
            allocation_info=place,
            shape_dynamism=schema.TensorShapeDynamism.STATIC,
        )
