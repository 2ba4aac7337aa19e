"""The executorch form: our kernels in the real ExecuTorch runtime, bit for bit the reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import cmake
import pytest
import torch

import pte_writer
from cortorch.errors import BuildError, CorTorchError, DeviceError, ToolError
from cortorch.forms import executorch_library
from cortorch.forms.bake import model_name
from cortorch.forms.executorch_form import ExecutorchModel
from cortorch.forms.host import HostLibrary
from cortorch.forms.ir import Port, StaticProgram, Value
from cortorch.testing import CortexMTester
from dialect_modules import MODULES
from dialect_programs import assert_same, expected, exported, tensors
from operator_cases import OperatorCase, accepted, same_bytes

BUILD = Path(__file__).resolve().parent.parent / "build" / "tests" / "executorch"
CASES = accepted()
FIRST_CASES = [
    next(c for c in CASES if c.op is op) for op in {c.op.name: c.op for c in CASES}.values()
]
each_operator = pytest.mark.parametrize("case", FIRST_CASES, ids=lambda c: c.op.name)


@cache
def modules() -> dict[str, ExecutorchModel]:
    programs = {exported(name).name: exported(name).static for name in MODULES}
    models = HostLibrary(programs, BUILD / "modules").models
    return {name: ExecutorchModel(model) for name, model in models.items()}


@pytest.mark.parametrize("name", MODULES)
def test_modules(name: str) -> None:
    program, inputs = exported(name), [x.contiguous() for x in tensors(name)]
    assert_same(modules()[program.name].run(program.pte, *inputs), expected(name))


@cache
def operators() -> dict[str, ExecutorchModel]:
    models = HostLibrary({c.id: c.program()[0] for c in CASES}, BUILD / "operators").models
    return {c.id: ExecutorchModel(models[model_name(c.id)]) for c in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_operators(case: OperatorCase) -> None:
    program, inputs = case.program()
    result = operators()[case.id].run(pte_writer.write(program), *inputs)[0]
    assert same_bytes(result, program.run_reference(*inputs)[0].contiguous())


def refused(case: OperatorCase, changed: StaticProgram, text: str, **written: Any) -> None:
    """The operator, called in another way than by the program that it was planned for."""
    inputs = [torch.zeros(p.value.shape, dtype=p.value.dtype) for p in changed.inputs]
    with pytest.raises(DeviceError, match=rf"cortex_m::{case.op.name}: {text}"):
        operators()[case.id].run(pte_writer.write(changed, **written), *inputs)


def with_argument(program: StaticProgram, name: str, argument: Any) -> StaticProgram:
    """The program with another argument of its call, or ``out``, and inputs to match."""
    (call,) = program.calls
    values = {**call.args, "out": call.out, name: argument}
    out = values.pop("out")
    used = [v for a in values.values() for v in (a if isinstance(a, list) else [a])]
    ports = [Port(v.name, v) for v in used if isinstance(v, Value) and v.data is None]
    changed = replace(call, args=values, out=out)
    return replace(program, calls=[changed], inputs=ports, outputs=[Port("out", out)])


def other_dtype(old: Value) -> Value:
    return replace(old, dtype=torch.int16 if old.dtype == torch.int8 else torch.int8, data=None)


def other_rank(old: Value) -> Value:
    return replace(old, shape=(1, *old.shape), data=None)


def other_size(old: Value) -> Value:
    return replace(old, shape=(*old.shape[:-1], old.shape[-1] + 1), data=None)


@pytest.mark.parametrize("change", [other_dtype, other_rank, other_size], ids=lambda f: f.__name__)
@each_operator
def test_other_tensor(case: OperatorCase, change: Callable[[Value], Value]) -> None:
    program, _ = case.program()
    for name, old in {**program.calls[0].args, "out": program.calls[0].out}.items():
        if isinstance(old, Value):
            changed = with_argument(program, name, change(old))
            refused(case, changed, rf"argument '{name}' is \w+ \[.*\], the program has")
        elif isinstance(old, list) and isinstance(old[0], Value):
            changed = with_argument(program, name, [*old[:-1], change(old[-1])])
            refused(case, changed, rf"argument '{name}' is .*, the program has")


def other_values(old: Any) -> list[Any]:
    match old:
        case bool():
            return [not old, 1.5]
        case int() | float():
            return [old + 1, None]
        case [int(), *_]:
            return [old[1:], [*old, 1], old[0]]
        case _:
            return [7]


@each_operator
def test_other_value(case: OperatorCase) -> None:
    program, _ = case.program()
    for name, old in program.calls[0].args.items():
        for new in other_values(old) if name not in case.op.ignored else ():
            changed = with_argument(program, name, new)
            refused(case, changed, rf"argument '{name}' is .*, the program has")


@each_operator
def test_missing_argument(case: OperatorCase) -> None:
    program, _ = case.program()
    (call,) = program.calls
    changed = replace(call, args=dict(list(call.args.items())[:-2]))
    refused(case, replace(program, calls=[changed]), r"argument '\w+' is missing")


@each_operator
def test_not_contiguous(case: OperatorCase) -> None:
    program, _ = case.program()
    out = program.calls[0].out
    if sum(size > 1 for size in out.shape) < 2:
        pytest.skip("every order of such a tensor is contiguous")
    order = range(len(out.shape))[::-1]
    refused(case, program, "argument 'out' is .* by .*, the program has", orders={out: order})


@pytest.mark.parametrize(
    "scratch", [3, Value("s", (2, 3), torch.int8), Value("s", (2,), torch.int32)]
)
@pytest.mark.parametrize("case", [c for c in FIRST_CASES if c.op.ignored], ids=lambda c: c.op.name)
def test_wrong_scratch(case: OperatorCase, scratch: Any) -> None:
    program, _ = case.program()
    text = f"argument '{case.op.ignored[0]}' is missing, of a wrong kind"
    refused(case, program, text, ignored=scratch)


def test_other_program() -> None:
    one, other = FIRST_CASES[:2]
    program, inputs = other.program()
    with pytest.raises(DeviceError, match=f"{other.op.name}: the program has no call of it"):
        operators()[one.id].run(pte_writer.write(program), *inputs)


def test_wrong_input() -> None:
    case = FIRST_CASES[0]
    with pytest.raises(DeviceError, match="in the ExecuTorch runtime"):
        operators()[case.id].run(pte_writer.write(case.program()[0]), torch.zeros(77))


def test_a_failure_is_forgotten() -> None:
    test_other_program()
    test_operators(FIRST_CASES[0])


def test_program_and_tester(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTORCH_BUILD_DIR", str(BUILD / "program"))
    name = next(iter(MODULES))
    program, (make, inputs) = exported(name), MODULES[name]
    assert torch.equal(program.run(*inputs, on="executorch"), program.run(*inputs))
    CortexMTester(make(), inputs).test_implementation(qtol=1, on="executorch")


def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")


def no_cmake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cmake, "CMAKE_BIN_DIR", "absent")


def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executorch_library, "find_spec", lambda name: None)


def bad_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executorch_library, "operator_table", lambda: "#error of the test\n")


@pytest.mark.parametrize(
    ("spoil", "error", "text"),
    [
        (no_compiler, ToolError, r"c\+\+ is not installed; try: apt install g\+\+"),
        (no_cmake, ToolError, "package cmake is damaged; try: pip install"),
        (no_package, ToolError, "executorch has no CMake package"),
        (bad_table, BuildError, "#error of the test"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_cannot_be_built(
    spoil: Callable[[pytest.MonkeyPatch], None],
    error: type[CorTorchError],
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(executorch_library, "cache_dir", lambda: tmp_path)
    spoil(monkeypatch)
    with pytest.raises(error, match=text):
        executorch_library.built()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
