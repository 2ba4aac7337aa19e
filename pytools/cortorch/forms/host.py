"""The baked C, compiled for this PC and called in this process: the fast twin of the device."""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import torch

from cortorch.errors import BuildError, DeviceError
from cortorch.forms.bake import BakeOptions, bake
from cortorch.forms.ir import StaticProgram, Value
from cortorch.forms.plan import Plan
from cortorch.images.toolchain import host_compiler
from cortorch.paths import firmware_dir, ops_dir
from cortorch.target import HostTarget

FLAGS = (
    *("-std=c11", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"),
    '-DCT_TARGET="host"',
)
CT_OK = 0


class _Instance(ctypes.Structure):
    """ct_instance of ct.h."""

    _fields_ = [
        ("model", ctypes.c_void_p),
        ("arena", ctypes.c_void_p),
        ("step", ctypes.c_uint32),
        ("hook", ctypes.c_void_p),
        ("hook_context", ctypes.c_void_p),
        ("reserved", ctypes.c_uint64 * 8),
    ]


class HostLibrary:
    """Static programs, baked for the host into one shared object.

    Raises:
        BuildError: the compiler refuses the baked source (its message is in the text).
    """

    def __init__(
        self,
        programs: Mapping[str, StaticProgram],
        directory: Path,
        options: BakeOptions | None = None,
    ) -> None:
        baked = bake(programs, directory, HostTarget(), options)
        library = ctypes.CDLL(str(_compile(directory, list(baked.plans.values()), baked.sources)))
        for function in ("ct_input", "ct_output", "ct_step_output"):
            getattr(library, function).restype = ctypes.c_void_p
        library.ct_status_text.restype = ctypes.c_char_p
        self.models = {name: HostModel(library, name, p) for name, p in baked.plans.items()}


class HostModel:
    """One model of a library."""

    def __init__(self, library: ctypes.CDLL, name: str, plan: Plan) -> None:
        self._library = library
        self.name = name
        self.plan = plan
        self.program = plan.program

    @property
    def address(self) -> int:
        """Of the ct_model."""
        return ctypes.addressof(ctypes.c_char.in_dll(self._library, f"{self.name}_model"))

    @cached_property
    def _arena(self) -> np.ndarray:
        """The arena with 16 spare bytes for its alignment."""
        return np.zeros(self.plan.arena_bytes + 16, np.uint8)

    @property
    def arena(self) -> np.ndarray:
        """The bytes that the model runs in."""
        start = -self._arena.ctypes.data % 16
        return self._arena[start : start + self.plan.arena_bytes]

    def run(self, *inputs: torch.Tensor) -> list[torch.Tensor]:
        """One inference. Inputs must have the dtype and the number of elements of the model's.

        Raises:
            DeviceError: the C library returned an error status.
        """
        instance = self._loaded(inputs)
        self._check(self._library.ct_run(ctypes.byref(instance)))
        return [self._output(instance, i) for i in range(len(self.program.outputs))]

    def trace(self, *inputs: torch.Tensor) -> Iterator[torch.Tensor]:
        """One inference, stopped after each step to copy what it wrote."""
        instance = self._loaded(inputs)
        reference = ctypes.byref(instance)
        for number, step in enumerate(self.plan.steps):
            self._check(self._library.ct_run_steps(reference, number, number + 1))
            written = self._library.ct_step_output(reference, number)
            yield _copied(written, step.call.out)

    def _loaded(self, inputs: Sequence[torch.Tensor]) -> _Instance:
        """An instance that holds the inputs."""
        library, instance = self._library, _Instance()
        arena = self.arena
        self._check(
            library.ct_init(
                ctypes.byref(instance),
                ctypes.c_void_p(self.address),
                ctypes.c_void_p(arena.ctypes.data if arena.size else None),
                ctypes.c_size_t(arena.size),
            )
        )
        for i, (port, x) in enumerate(zip(self.program.inputs, inputs, strict=True)):
            data = x.contiguous()
            if data.dtype != port.value.dtype or data.numel() != port.value.tensor().numel():
                raise DeviceError(
                    f"input {i} ({port.name}) is {x.dtype} {list(x.shape)}; the model takes "
                    f"{port.value.dtype} {list(port.value.shape)}"
                )
            ctypes.memmove(
                library.ct_input(ctypes.byref(instance), i), data.data_ptr(), data.nbytes
            )
        return instance

    def _output(self, instance: _Instance, index: int) -> torch.Tensor:
        value = self.program.outputs[index].value
        return _copied(self._library.ct_output(ctypes.byref(instance), index), value)

    def _check(self, status: int) -> None:
        if status != CT_OK:
            raise DeviceError(
                f"{self.name} on the host: {self._library.ct_status_text(status).decode()}"
            )


def _copied(address: int, value: Value) -> torch.Tensor:
    result = torch.empty(value.shape, dtype=value.dtype)
    ctypes.memmove(result.data_ptr(), address, result.nbytes)
    return result


def _compile(directory: Path, plans: Sequence[Plan], baked: Sequence[Path]) -> Path:
    """One shared object with the baked sources, the executor and the operators that they use;
    cached by content."""
    used = {step.call.op.name for plan in plans for step in plan.steps}
    kernels = [
        p for name in ("support", *sorted(used)) for p in sorted((ops_dir() / name).glob("*.c"))
    ]
    portable = [p for p in kernels if not p.stem.endswith(("_mve", "_dsp"))]
    sources = [*baked, firmware_dir() / "runtime" / "ct.c", *portable]
    includes = [directory, firmware_dir() / "runtime", ops_dir() / "support", ops_dir()]
    headers = [
        p
        for folder in (*includes[:3], *(ops_dir() / n for n in used))
        for p in sorted(folder.glob("*.h"))
    ]
    digest = hashlib.sha256(b"".join(p.read_bytes() for p in [*sources, *headers])).hexdigest()[:16]
    output = directory / f"{directory.name}-{digest}.so"
    if not output.exists():
        temporary = output.with_suffix(f".{os.getpid()}")
        command = [
            host_compiler(),
            *FLAGS,
            *(f"-I{i}" for i in includes),
            *map(str, sources),
            "-o",
            str(temporary),
        ]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise BuildError(
                f"{directory.name}: the baked source does not compile for this PC:\n{result.stderr}"
            )
        temporary.replace(output)
    return output
