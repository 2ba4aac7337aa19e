"""The C header and sources of every operator agree with its kernels in Python."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch

from c_header import OPS, Field, Header
from cmsis_nn_ops import OpDef, operators
from cmsis_nn_ops.op_def import Kernel
from cortorch.target import Isa
from operator_cases import OperatorCase, accepted, tensors

by_operator = pytest.mark.parametrize("op", operators().values(), ids=lambda op: op.name)
by_accepted = pytest.mark.parametrize("case", accepted(), ids=lambda c: c.id)


def kernels() -> list[Any]:
    return [
        pytest.param(op, kernel, id=kernel.function)
        for op in operators().values()
        for kernel in op.kernels
    ]


C_NAMES = {"out": "output"}
"""Operands that C calls by another name; all others have the schema's."""
C_TYPES = {
    torch.int8: "int8_t",
    torch.uint8: "uint8_t",
    torch.int16: "int16_t",
    torch.int32: "int32_t",
    torch.int64: "int64_t",
    torch.float32: "float",
    torch.bool: "uint8_t",
}


@pytest.mark.parametrize(("op", "kernel"), kernels())
def test_prototype_is_the_kernels_operands(op: OpDef, kernel: Kernel) -> None:
    given = Header(op).prototype(kernel.function)
    if Header(op).fields():
        assert given[0][0] == f"const ct_{op.name}_params *"
        given = given[1:]
    plain = [C_NAMES.get(n, n) for n in (name.removesuffix("*") for name in kernel.operands)]
    names = [name for _, name in given]
    first = next(k for k in op.kernels if k.function == kernel.function)
    if kernel is first:
        assert names == plain
    else:  # the same function with its operands exchanged
        assert sorted(names) == sorted(plain)
    for operand, (ctype, name) in zip(kernel.operands, given, strict=True):
        assert ("const" not in ctype) == (operand in ("out", "scratch")), name
        assert ctype.endswith("*const *" if operand.endswith("*") else "*"), name


@by_accepted
def test_prototype_has_the_dtypes_of_the_case(case: OperatorCase) -> None:
    baked = case.baked()
    kernel = case.op.kernel_for(baked, max(Isa))
    assert kernel is not None
    packed = kernel.pack(baked)
    types = {name: ctype for ctype, name in Header(case.op).prototype(kernel.function)}
    for operand in set(kernel.operands) - {"scratch"}:
        name = operand.removesuffix("*")
        word = types[C_NAMES.get(name, name)].replace("const", "").replace("*", "").strip()
        # Packed constants may be structs of the support layer.
        anything = word == "void" or (name in packed and word.startswith("ct_"))
        for tensor in tensors(packed[name] if name in packed else getattr(baked, name)):
            assert anything or word == C_TYPES[tensor.dtype], name


@by_operator
def test_the_last_kernel_takes_every_call(op: OpDef) -> None:
    """... on any core: each accepted case has a portable kernel, and no case needs another one."""
    assert [k.function for k in op.kernels if k.isa == Isa.SCALAR]
    for case in (c for c in accepted() if c.op is op):
        assert op.kernel_for(case.baked(), Isa.SCALAR) is not None, case.id


@by_accepted
def test_params_fit_the_struct(case: OperatorCase) -> None:
    """Each value is in the range of its field's type."""
    baked = case.baked()
    fields = Header(case.op).fields()
    for kernel in (k for k in case.op.kernels if k.accepts(baked)):
        for name, value in kernel.params(baked).items():
            _check_value(name, value, fields[name])


@by_operator
def test_every_field_is_set_by_a_kernel(op: OpDef) -> None:
    calls = [c.baked() for c in accepted() if c.op is op]
    made = {name for a in calls for k in op.kernels if k.accepts(a) for name in k.params(a)}
    assert made == set(Header(op).fields())


def _check_value(name: str, value: Any, field: Field) -> None:
    if field.length is not None:
        assert len(value) <= field.length, name
        for element in value:
            _check_value(name, element, Field(field.ctype, None))
    elif field.ctype != "float":
        limits = np.iinfo(field.ctype.removesuffix("_t"))
        assert limits.min <= int(value) <= limits.max, f"{name} = {value} in {field.ctype}"


@by_operator
def test_files_are_named_after_the_operator(op: OpDef) -> None:
    sources = {p.name for p in (OPS / op.name).glob("*.[ch]")}
    assert {f"{op.name}.h", f"{op.name}.c"} <= sources
    # Of the variants of one instruction set, a private header may be named after what they share.
    shared = {name for name in sources if name.endswith(("_mve.h", "_dsp.h"))}
    assert all(name.startswith(op.name) for name in sources - shared)
    text = "\n".join(p.read_text(encoding="utf-8") for p in (OPS / op.name).glob("*.c"))
    for kernel in op.kernels:
        assert re.search(rf"\b{kernel.function}\b", text), f"{kernel.function} is not defined"
