"""A board that runs the validate app: its models, as functions from arrays to arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cortorch.errors import DeviceError, ProtocolError
from cortorch.on_device.fault import Fault
from cortorch.on_device.protocol import messages as m
from cortorch.on_device.protocol.client import Client, RefusedError, Stream
from cortorch.on_device.protocol.replies import DTYPES, Hello, Memory, Model, Step, Tensor

Array = npt.NDArray[Any]

_OVERHEAD_BYTES = m.HEADER_BYTES + m.CRC_BYTES
_WRITE_FIELDS_BYTES = 5
_NO_STEP = 0xFFFFFFFF


class CrashedError(DeviceError):
    """The device was reset in the middle of a session."""

    def __init__(self, request: str, fault: Fault | None, step: int | None) -> None:
        self.step = step
        cause = fault.explain() if fault else "it kept no fault report"
        super().__init__(f"the device restarted before {request} was done: {cause}")


class Device:
    """The device behind a byte stream; opens the session.

    Args:
        stream: the board's UART.
        timeout_s: most that any answer may take.
        run_timeout_s: the same for an inference.
        retry_s: silence after which a request is sent again.

    Raises:
        DeviceError: by every method, when the device does not answer, refuses, or has crashed.
        ProtocolError: when its answers are not those of this protocol version.
    """

    def __init__(
        self,
        stream: Stream,
        timeout_s: float = 10.0,
        run_timeout_s: float = 600.0,
        retry_s: float = 0.5,
    ) -> None:
        self._client = Client(stream, retry_s)
        self._timeout_s = timeout_s
        self._run_timeout_s = run_timeout_s
        self._descriptions: dict[int, Model] = {}
        self.hello = self._open()

    def _open(self) -> Hello:
        self._selected: int | None = None
        reply = self._client.request(
            "HELLO",
            self._timeout_s,
            version_min=m.VERSION,
            version_max=m.VERSION,
            frame_bytes=m.MAX_FRAME_BYTES,
        )
        return Hello(**{**reply, "fault": bool(reply["fault"])})

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """The models in the image."""
        return tuple(self._describe(index) for index in range(self.hello.model_count))

    def model(self, which: str | int) -> Model:
        """The model of this name, or at this index."""
        found = [model for model in self.models if which in (model.name, model.index)]
        if not found:
            names = ", ".join(model.name for model in self.models) or "none"
            raise DeviceError(f"the device has no model {which!r}; it has: {names}")
        return found[0]

    def expect(self, model: str, pte_sha256: str) -> None:
        """DeviceError if the board's model of this name was baked from another .pte."""
        found = self.model(model).pte_sha256
        if found != pte_sha256:
            raise DeviceError(
                f"the board's model {model} is of another .pte (SHA-256 {found[:12]}..., not"
                f" {pte_sha256[:12]}...): flash an image of this one"
            )

    def run(self, model: str | int, inputs: Sequence[Array]) -> list[Array]:
        """One inference; shapes and dtypes must be those of the model's inputs."""
        description = self.model(model)
        self._load(description, inputs)
        self._run(description, 0, description.step_count)
        return [
            self._read("READ_OUTPUT", index, tensor.bytes, tensor.dtype).reshape(tensor.shape)
            for index, tensor in enumerate(description.outputs)
        ]

    def step_tensors(
        self, model: str | int, inputs: Sequence[Array]
    ) -> Iterator[tuple[Step, Array]]:
        """One inference, stopped after each step to read what the step wrote (flat)."""
        description = self.model(model)
        self._load(description, inputs)
        for index, step in enumerate(self.steps(model)):
            self._run(description, index, index + 1)
            yield step, self._read("READ_STEP", index, step.output_bytes, step.output_dtype)

    def steps(self, model: str | int) -> list[Step]:
        """The plan of a model; DeviceError if it was stripped."""
        description = self.model(model)
        replies = (
            self._ask("STEP", model=description.index, step=index)
            for index in range(description.step_count)
        )
        return [Step(**{**r, "output_dtype": _dtype(r["output_dtype"])}) for r in replies]

    def cycles(self) -> int | None:
        """CPU cycles of the last inference; None where the core does not count them."""
        reply = self._ask("COUNTERS")
        return int(reply["cycles"]) if reply["available"] else None

    def step_cycles(self, model: str | int, inputs: Sequence[Array]) -> list[int]:
        """CPU cycles of each step of one inference; DeviceError where the core does not count."""
        description = self.model(model)
        self._load(description, inputs)
        total, steps = 0, []
        for index in range(description.step_count):
            self._run(description, index, index + 1)
            now = self.cycles()
            if now is None:
                raise DeviceError("this core has no cycle counter: profile it on an emulated board")
            steps.append(now - total)
            total = now
        return steps

    def memory(self) -> Memory:
        """Memory marks, for the model that ran last."""
        reply = self._ask("MEMORY")
        return Memory(**{**reply, "stack_intact": bool(reply["stack_intact"])})

    def fault(self) -> Fault | None:
        """The last fault, until `clear_fault`; it survives resets."""
        return self._fault()[0]

    def _fault(self) -> tuple[Fault | None, int | None]:
        """The last fault, and the step that ran."""
        reply = self._ask("FAULT")
        if not reply["present"]:
            return None, None
        step = None if reply["step"] == _NO_STEP else reply["step"]
        registers = {name: reply[name] for name in m.FAULT_REGISTERS}
        return Fault(reply["exception"], registers, "" if step is None else f"in step {step}"), step

    def clear_fault(self) -> None:
        """Forgets the last fault."""
        self._ask("FAULT_CLEAR")

    def reset(self) -> None:
        """Restarts the device and opens a new session."""
        try:
            self._client.request("RESET", self._timeout_s)
        except RefusedError as error:
            if not error.restarted:  # then only the answer was lost
                raise
        self.hello = self._open()

    def _ask(self, name: str, timeout_s: float | None = None, **values: Any) -> dict[str, Any]:
        if self._client.lost:
            self.hello = self._open()
        try:
            return self._client.request(name, timeout_s or self._timeout_s, **values)
        except RefusedError as error:
            if error.restarted:
                raise self._crashed(name) from error
            raise

    def _crashed(self, name: str) -> CrashedError:
        """The device was reset under us: open a new session and ask why."""
        self.hello = self._open()
        return CrashedError(name, *self._fault())

    def _describe(self, index: int) -> Model:
        reply = self._ask("MODEL", model=index)
        counts = [reply.pop("input_count"), reply.pop("output_count")]
        inputs, outputs = (
            tuple(self._tensor(index, direction.value, i) for i in range(count))
            for direction, count in zip(m.DIRECTIONS, counts, strict=True)
        )
        digest = reply.pop("pte_sha256").hex()
        return Model(index=index, inputs=inputs, outputs=outputs, pte_sha256=digest, **reply)

    def _tensor(self, model: int, direction: int, index: int) -> Tensor:
        reply = self._ask("TENSOR", model=model, direction=direction, index=index)
        tensor = Tensor(**{**reply, "dtype": _dtype(reply["dtype"])})
        if tensor.bytes != tensor.dtype.itemsize * int(np.prod(tensor.shape)):
            raise ProtocolError(
                f"the device describes a tensor whose size and shape differ: {tensor}"
            )
        return tensor

    def _load(self, model: Model, inputs: Sequence[Array]) -> None:
        """Selects the model and writes its inputs."""
        chunks = [_payload(model, i, array) for i, array in enumerate(_counted(model, inputs))]
        selected, self._selected = self._selected, None  # until all is written
        if selected != model.index:
            self._ask("SELECT", model=model.index)
        most = self.hello.frame_bytes - _OVERHEAD_BYTES - _WRITE_FIELDS_BYTES
        for index, data in enumerate(chunks):
            for offset in range(0, len(data), most):
                self._ask("WRITE", input=index, offset=offset, data=data[offset : offset + most])
        self._selected = model.index

    def _run(self, model: Model, first: int, end: int) -> None:
        try:
            self._ask("RUN", self._run_timeout_s, first=first, end=end)
        except (RefusedError, CrashedError) as error:
            raise DeviceError(f"{model.name}{self._where(model, error.step)}: {error}") from error

    def _where(self, model: Model, step: int | None) -> str:
        if step is None:
            return ""
        try:
            reply = self._ask("STEP", model=model.index, step=step)
        except DeviceError:  # stripped, or gone again
            return f", step {step}"
        return f", step {step} ({reply['name']}, kernel {reply['kernel']})"

    def _read(self, kind: str, index: int, count: int, dtype: np.dtype[np.generic]) -> Array:
        code = next(code.value for code in m.READ_KINDS if code.name == kind)
        most = self.hello.frame_bytes - _OVERHEAD_BYTES
        data = bytearray()
        while len(data) < count:
            length = min(most, count - len(data))
            reply = self._ask("READ", kind=code, index=index, offset=len(data), bytes=length)
            if len(reply["data"]) != length:
                raise ProtocolError(
                    f"asked for {length} bytes, the device sent {len(reply['data'])}"
                )
            data += reply["data"]
        return np.frombuffer(data, dtype)


def _dtype(code: int) -> np.dtype[np.generic]:
    if code >= len(DTYPES):
        raise ProtocolError(f"the device names dtype {code}, which ct.h does not have")
    return DTYPES[code]


def _counted(model: Model, inputs: Sequence[Array]) -> Sequence[Array]:
    if len(inputs) != len(model.inputs):
        raise DeviceError(
            f"{model.name} takes {len(model.inputs)} inputs, {len(inputs)} were given"
        )
    return inputs


def _payload(model: Model, index: int, array: Array) -> bytes:
    """Little-endian bytes of an input; nothing is converted or broadcast on the way."""
    want = model.inputs[index]
    if array.shape != want.shape or array.dtype.newbyteorder("<") != want.dtype:
        raise DeviceError(
            f"{model.name}, input {index} ({want.name}): expected {want.dtype.name} {want.shape},"
            f" got {array.dtype.name} {array.shape}"
        )
    return array.astype(want.dtype, order="C").tobytes()
