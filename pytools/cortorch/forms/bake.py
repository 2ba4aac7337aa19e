"""Writes a plan as C: one source and one header per model, and a table of the models of an image.

The output is a function of the .pte, the target and the options; baking twice gives the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import torch

from cmsis_nn_ops.op_def import Kernel
from cortorch.errors import BakeError
from cortorch.files import write_if_changed
from cortorch.forms import pte
from cortorch.forms.arena import Buffer
from cortorch.forms.ir import Port, StaticProgram
from cortorch.forms.plan import LIST_MARK, Constant, Operand, Plan, Step, operand_order, plan
from cortorch.target import HostTarget, Isa, Target

ABI = 1
"""CT_ABI of firmware/runtime/ct.h; a generated #error compares them."""

_CTYPES = {
    torch.int8: "int8_t",
    torch.uint8: "uint8_t",
    torch.int16: "int16_t",
    torch.int32: "int32_t",
    torch.int64: "int64_t",
    torch.float32: "float",
    torch.bool: "uint8_t",
}
_CT_DTYPES = {
    torch.int8: "CT_INT8",
    torch.uint8: "CT_UINT8",
    torch.int16: "CT_INT16",
    torch.int32: "CT_INT32",
    torch.int64: "CT_INT64",
    torch.float32: "CT_FLOAT32",
    torch.bool: "CT_BOOL",
}
_ISA_GUARDS = {
    Isa.SCALAR: "1",
    Isa.DSP: "defined(__ARM_FEATURE_DSP)",
    Isa.MVE: "defined(__ARM_FEATURE_MVE)",
}


@dataclass(frozen=True)
class Sample:
    """An input that the demo app shows: arrays in the order of the model's inputs."""

    inputs: Sequence[np.ndarray[Any, Any]]
    label: str | None = None


@dataclass(frozen=True)
class Baked:
    """What a bake wrote."""

    directory: Path
    plans: Mapping[str, Plan]
    sources: Sequence[Path]

    @property
    def arena_bytes(self) -> int:
        return max((p.arena_bytes for p in self.plans.values()), default=0)


@dataclass
class BakeOptions:
    guard_bytes: int = 0
    """Room kept around every buffer of the arena (tests)."""
    samples: Mapping[str, Sequence[Sample]] = field(default_factory=dict)


def model_name(text: str) -> str:
    """A C identifier from a file name."""
    name = re.sub(r"\W", "_", text)
    return name if name and not name[0].isdigit() else f"m_{name}"


def bake(
    models: Mapping[str, Path | StaticProgram],
    directory: Path,
    target: Target,
    options: BakeOptions | None = None,
) -> Baked:
    """Bakes every model for ``target`` into ``directory``; nothing is written unless all of them
    can be.

    Args:
        models: .pte file (or a program that was read) by name; names become C identifiers.

    Raises:
        PteError: a file is damaged or is not a program for this dialect.
        BakeError: no kernel for a call, or two models of one name.
    """
    options = options or BakeOptions()
    plans: dict[str, Plan] = {}
    for key, source in models.items():
        name = model_name(key)
        if name in plans:
            raise BakeError(f"two models are called {name!r}; rename one of the files")
        program = source if isinstance(source, StaticProgram) else pte.read(source)
        plans[name] = plan(program, target.isa, options.guard_bytes)
    texts = {
        f"{n}.{ext}": _render(f"model.{ext}.j2", _model(n, p, target))
        for n, p in plans.items()
        for ext in "ch"
    }
    table = _table(plans, options.samples)
    texts |= {f"models.{ext}": _render(f"models.{ext}.j2", table) for ext in "ch"}
    for file, text in texts.items():
        write_if_changed(directory / file, text)
    sources = [directory / file for file in texts if file.endswith(".c")]
    return Baked(directory, plans, sources)


def _table(plans: Mapping[str, Plan], samples: Mapping[str, Sequence[Sample]]) -> dict[str, Any]:
    rows = [
        {
            "index": i,
            "samples": [
                {
                    "label": "NULL" if s.label is None else _c_string(s.label),
                    "inputs": [_array(torch.from_numpy(np.ascontiguousarray(x))) for x in s.inputs],
                }
                for s in samples.get(name, ())
            ],
        }
        for i, name in enumerate(plans)
    ]
    return {
        "names": list(plans),
        "arena_bytes": max((p.arena_bytes for p in plans.values()), default=0),
        "samples": rows,
    }


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("cortorch"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # C, not HTML
    )


def _render(template: str, context: Mapping[str, Any]) -> str:
    return _environment().get_template(template).render(context)


def _model(name: str, p: Plan, target: Target) -> dict[str, Any]:
    kernels = {step.kernel.function: step.kernel for step in p.steps}
    isa = max((k.isa for k in kernels.values()), default=Isa.SCALAR)
    host = isinstance(target, HostTarget)
    steps, first = [], 0
    for number, step in enumerate(p.steps):
        steps.append(_step(number, step, first))
        first += len(step.operands)
    if first >= 2**16 or len(p.steps) >= 2**16:
        raise BakeError(
            f"{name}: {len(p.steps)} steps with {first} operands; at most 65535 of each fit a plan"
        )
    sha = p.program.pte_sha256
    return {
        "name": name,
        "target": target.target_string,
        "guard": f"{'!' if host else ''}defined(__arm__) && {_ISA_GUARDS[isa]}",
        "abi": ABI,
        "isa": f"CT_ISA_{isa.name}",
        "headers": sorted({f"{step.call.op.name}/{step.call.op.name}.h" for step in p.steps}),
        "constants": [_constant(c) for c in p.constants],
        "constant_bytes": p.constant_bytes,
        "arena_bytes": p.arena_bytes,
        "kernels": [_thunk(k, p) for k in kernels.values()],
        "steps": steps,
        "macs": sum(step.call.op.macs(step.call.bound()) for step in p.steps),
        "inputs": [_port(i, port, p) for i, port in enumerate(p.program.inputs)],
        "outputs": [_port(i, port, p) for i, port in enumerate(p.program.outputs)],
        "sha256": sha.hex(),
        "sha256_bytes": ", ".join(f"0x{byte:02x}" for byte in sha),
    }


def _constant(constant: Constant) -> dict[str, Any]:
    return {"name": model_name(constant.name), "offset": constant.offset, **_array(constant.data)}


def _array(data: torch.Tensor) -> dict[str, Any]:
    values = data.flatten().tolist()
    texts = [_literal(v) for v in values]
    lines = [", ".join(texts[i : i + 16]) + "," for i in range(0, len(texts), 16)]
    return {"ctype": _CTYPES[data.dtype], "count": len(texts), "lines": lines}


def _literal(value: Any) -> str:
    """A C constant expression for a number, a bool or a (nested) sequence of them."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "{" + ", ".join(_literal(v) for v in value) + "}"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return value
    value = int(value)
    return {-(2**31): "INT32_MIN", -(2**63): "INT64_MIN"}.get(value, str(value))


def _float(value: float) -> str:
    """Exact: a hexadecimal literal of the nearest float32."""
    single = float(np.float32(value))
    if not np.isfinite(single):
        return (
            '__builtin_nanf("")'
            if np.isnan(single)
            else ("-" if single < 0 else "") + "__builtin_inff()"
        )
    return f"{single.hex()}f"


def _c_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def _thunk(kernel: Kernel, p: Plan) -> dict[str, Any]:
    order = operand_order(kernel)
    arguments = ["params"] if _has_params(kernel, p) else []
    for name in kernel.operands:
        index = order.index(name)
        is_list = name.endswith(LIST_MARK)
        arguments.append(
            f"(const void *const *)(operands + {index})" if is_list else f"operands[{index}]"
        )
    return {
        "thunk": f"{kernel.function}_step",
        "function": kernel.function,
        "call": ", ".join(arguments),
        "uses_params": bool(arguments) and arguments[0] == "params",
    }


def _has_params(kernel: Kernel, p: Plan) -> bool:
    return any(step.params for step in p.steps if step.kernel is kernel)


def _step(number: int, step: Step, first_ref: int) -> dict[str, Any]:
    op, out = step.call.op, step.call.out
    shape = "x".join(str(d) for d in out.shape)
    return {
        "op": op.name,
        "function": step.kernel.function,
        "thunk": f"{step.kernel.function}_step",
        "label": step.call.name,
        "comment": f"step {number}: {step.call.name} -> {shape}",
        "params": [(k, _literal(v)) for k, v in step.params.items()],
        "params_name": f"params{number}",
        "refs": "".join(f"{_ref(o)}, " for o in step.operands).rstrip(),
        "first_ref": first_ref,
        "ref_count": len(step.operands),
        "output": step.output_index,
        "output_bytes": out.bytes,
        "output_dtype": _CT_DTYPES[out.dtype],
    }


def _ref(operand: Operand) -> str:
    if operand is None:
        return "CT_REF_NONE"
    if isinstance(operand, Buffer):
        return f"CT_REF_ARENA + {operand.offset}u"
    return f"CT_REF_CONST + {operand.offset}u"


def _port(index: int, port: Port, p: Plan) -> dict[str, Any]:
    value, q = port.value, port.qparams
    dims = "x".join(str(d) for d in value.shape) or "scalar"
    quant = f", real = {q.scale:.9g} * (q - {q.zero_point})" if q else ""
    return {
        "index": index,
        "name": port.name,
        "text": f"{port.name}: {str(value.dtype).removeprefix('torch.')} {dims}{quant}",
        "shape": list(value.shape),
        "bytes": value.bytes,
        "elements": value.tensor().numel(),
        "scale": q.scale if q else 0.0,
        "scale_literal": _float(float(q.scale) if q else 0.0),
        "zero_point": q.zero_point if q else 0,
        "ctype": _CT_DTYPES[value.dtype],
        "ref": _ref(p.home(value)),
    }
