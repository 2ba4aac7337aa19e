"""A program on a board, against its reference: equality of every bit of every output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from cortorch.device import Device
from cortorch.errors import DifferenceError
from cortorch.forms.ir import Port
from cortorch.on_device import samples
from cortorch.on_device.compare import compare
from cortorch.on_device.runners.base import ONLY_ONE, Connection
from cortorch.program import ON_REFERENCE, Program

Inputs = list[torch.Tensor]

# Beyond what int8 can hold, so that both ends are clamped.
_QUANTIZED = (-140, 140)


def inputs_for(program: Program, path: Path, count: int, seed: int) -> list[Inputs]:
    """At most ``count`` of the samples beside the .pte, and as many random inputs."""
    shown = [
        [torch.from_numpy(np.asarray(x)) for x in sample.inputs] for sample in samples.load(path)
    ]
    generator = torch.Generator().manual_seed(seed)
    made = [[_random(program, port, generator) for port in program.inputs] for _ in range(count)]
    return [program.as_ports(inputs) for inputs in shown[:count]] + made


def _random(program: Program, port: Port, generator: torch.Generator) -> torch.Tensor:
    shape, dtype = port.value.shape, port.value.dtype
    if dtype == torch.float32:
        scale, zero_point = _quantization(program, port)
        steps = torch.randint(*_QUANTIZED, shape, generator=generator)
        return (steps - zero_point).to(torch.float32) * scale
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).to(torch.bool)
    info = torch.iinfo(dtype)
    low, high = (info.min, info.max + 1) if info.bits == 8 else (0, 2)  # else most likely indices
    return torch.randint(low, high, shape, generator=generator, dtype=dtype)


def _quantization(program: Program, port: Port) -> tuple[float, int]:
    """Of the step that quantizes a float input; 1/128 and 0 if there is none."""
    for call in program.static.calls:
        scale, zero_point = call.args.get("scale"), call.args.get("zero_point")
        reads = any(value.storage is port.value.storage for value in call.inputs())
        if reads and isinstance(scale, float) and isinstance(zero_point, int):
            return scale, zero_point
    return 1 / 128, 0


def check(
    program: Program,
    inputs: Sequence[Inputs],
    board: str,
    runner: str | None = None,
    connection: Connection = ONLY_ONE,
) -> str:
    """What was checked, in a line.

    Raises:
        DifferenceError: an output differs; the text names the input and the first step that does.
    """
    with program.device(board, runner, connection) as device:
        wrong = _first_wrong(device, program, inputs)
        if wrong is None:
            return f"{program.name} on {board}: {len(inputs)} inputs, {_figures(device)}"
    where = compare(program, inputs[wrong], board, ON_REFERENCE, runner, connection)
    raise DifferenceError(
        f"{program.name} on {board}, input {wrong}: {where or 'wrong once, right when repeated'}"
    )


def _first_wrong(device: Device, program: Program, inputs: Sequence[Inputs]) -> int | None:
    for number, x in enumerate(inputs):
        found = device.run(program.name, [t.contiguous().numpy() for t in x])
        wanted = [t.numpy() for t in program.run_flat(x, ON_REFERENCE)]
        if any(a.tobytes() != b.tobytes() for a, b in zip(found, wanted, strict=True)):
            return number
    return None


def _figures(device: Device) -> str:
    cycles, memory = device.cycles(), device.memory()
    took = f", {cycles:,} cycles" if cycles is not None else ""
    stack = f"{memory.stack_peak_bytes:,} of {memory.stack_bytes:,} bytes of stack"
    return f"every output as the reference's{took}, {stack}"
