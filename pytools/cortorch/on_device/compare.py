"""Two runs of a program, step by step, up to the first step whose tensors are not the same."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from cortorch.on_device.runners.base import ONLY_ONE, Connection
from cortorch.program import ON_HOST, ON_REFERENCE, Program

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Output:
    """What a step wrote, and which code did."""

    kernel: str
    """C function, or `reference`."""
    tensor: Array


@dataclass(frozen=True)
class Difference:
    """The first step at which two runs part."""

    step: int
    """From 0."""
    step_count: int
    node: str
    source: str
    """Line of the model's source that the node comes from; empty if the .pte does not say."""
    places: tuple[str, str]
    outputs: tuple[Output, Output]

    @property
    def elements(self) -> npt.NDArray[np.intp]:
        """Index of each element that differs, one a row."""
        ours, theirs = (_bits(output.tensor) for output in self.outputs)
        return np.argwhere(ours != theirs)

    def __str__(self) -> str:
        tensor, elements = self.outputs[0].tensor, self.elements
        first = tuple(int(i) for i in elements[0])
        lines = [
            f"step {self.step} of {self.step_count} is the first to differ: {self.node}"
            + (f" ({self.source})" if self.source else ""),
            f"  {len(elements):,} of {tensor.size:,} elements of {tensor.dtype}"
            f" {list(tensor.shape)} differ; the first is at {list(first)}",
        ]
        for place, output in zip(self.places, self.outputs, strict=True):
            lines.append(f"  {place} ({output.kernel}): {output.tensor[first]}")
        return "\n".join(lines)


def compare(
    program: Program,
    inputs: Sequence[torch.Tensor],
    on: str,
    against: str = ON_REFERENCE,
    runner: str | None = None,
    connection: Connection = ONLY_ONE,
) -> Difference | None:
    """The first step of ``on`` that differs, in any bit, from the same step of ``against``; None if
    all steps are the same.

    Args:
        inputs: as ``Program.run`` takes them.
        on, against: ``reference``, ``host``, or the name of a board.
        runner: of the board ``on``, if not its default one.
        connection: which board ``on`` is, where this PC has several.
    """
    flat = program.as_ports(inputs)
    calls = program.static.calls
    with (
        closing(trace(program, flat, on, runner, connection)) as ours,
        closing(trace(program, flat, against)) as theirs,
    ):
        for step, (call, *outputs) in enumerate(zip(calls, ours, theirs, strict=True)):
            if (_bits(outputs[0].tensor) != _bits(outputs[1].tensor)).any():
                source = program.source_of(call.name)
                pair = outputs[0], outputs[1]
                return Difference(step, len(calls), call.name, source, (on, against), pair)
    return None


def trace(
    program: Program,
    inputs: Sequence[torch.Tensor],
    on: str,
    runner: str | None = None,
    connection: Connection = ONLY_ONE,
) -> Generator[Output, None, None]:
    """Output of every step of one inference, in the dtype and shape that the program says; the
    board is released when the iterator is closed."""
    if on == ON_REFERENCE:
        for result in program.static.trace(*inputs):
            yield Output("reference", result.numpy())
    elif on == ON_HOST:
        host = program.host
        for step, tensor in zip(host.plan.steps, host.trace(*inputs), strict=True):
            yield Output(step.kernel.function, tensor.numpy())
    else:
        with program.device(on, runner, connection) as device:
            found = device.step_tensors(program.name, [x.contiguous().numpy() for x in inputs])
            for call, (info, array) in zip(program.static.calls, found, strict=True):
                yield Output(info.kernel, array.reshape(call.out.shape))


def _bits(tensor: Array) -> Array:
    """Integers: NaN is the same as itself, and -0.0 is not 0.0."""
    return np.ascontiguousarray(tensor).view(f"u{tensor.dtype.itemsize}").reshape(tensor.shape)
