"""What an operator's folder must agree on: schema, cases, constraints, pattern, lowering."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest
import torch
import yaml

from cmsis_nn_ops import OpDef, operators
from cmsis_nn_ops.op_def import NAMESPACE
from cortorch.quantization import functions
from operator_cases import OperatorCase, accepted, all_cases, same_bytes, tensors

UPSTREAM = "backends/cortex_m/ops/operators.yaml"

by_operator = pytest.mark.parametrize("op", operators().values(), ids=lambda op: op.name)
by_accepted = pytest.mark.parametrize("case", accepted(), ids=lambda c: c.id)
by_case = pytest.mark.parametrize("case", list(all_cases()), ids=lambda c: c.id)


@cache
def upstream_schemas() -> dict[str, str]:
    """Schemas in the ExecuTorch wheel by operator; its backend is read as a file, not imported."""
    spec = importlib.util.find_spec("executorch")
    assert spec is not None
    for root in spec.submodule_search_locations or ():
        path = Path(root) / UPSTREAM
        if path.is_file():
            rows = yaml.safe_load(path.read_text(encoding="utf-8"))
            functions = [row["func"] for row in rows]
            return {f.split("::")[1].split(".out(")[0]: f for f in functions}
    raise FileNotFoundError(f"the executorch wheel has no {UPSTREAM}")


def parameters(schema: str) -> list[tuple[str, str]]:
    """(name, type) of every parameter, and of the result; aliases do not matter."""
    text = re.sub(r"\([a-z]!?\)", "", schema[schema.index("(") :])
    inside, returned = re.fullmatch(r"\((.*)\)\s*->\s*(.*)", text).groups()  # type: ignore[union-attr]
    pairs = [p.strip().rsplit(" ", 1) for p in inside.split(",") if p.strip() != "*"]
    return [(name, kind) for kind, name in pairs] + [("->", returned.strip())]


@by_operator
def test_schema_is_upstreams(op: OpDef) -> None:
    upstream = upstream_schemas().get(op.name)
    if upstream is not None:
        assert parameters(op.out_schema) == parameters(upstream)


def test_every_upstream_operator_is_here() -> None:
    """... or its form with the layout in the graph, where upstream hides it in strides."""
    known = set(operators())
    assert set(upstream_schemas()) & known
    missing = {name for name in upstream_schemas() if not {name, f"{name}_nhwc"} & known}
    assert missing == set()


@by_operator
def test_schema_parses_and_names_fit(op: OpDef) -> None:
    assert op.parsed.name == f"{NAMESPACE}::{op.name}"
    assert set(op.constants) | set(op.ignored) <= set(op.tensor_arguments)
    assert op.summary
    assert not op.summary.endswith(".")


@by_operator
def test_cases_and_constraints_cover_each_other(op: OpDef) -> None:
    cases = [c.case for c in all_cases() if c.op is op]
    names = [c.name for c in cases]
    assert len(names) == len(set(names))
    assert any(c.rejects is None for c in cases)
    ids = [c.id for c in op.constraints]
    assert ids == [f"C{i}" for i in range(1, len(ids) + 1)]
    assert {c.rejects for c in cases if c.rejects} == set(ids)


@by_case
def test_constraints(case: OperatorCase) -> None:
    args = case.op.bind(case.args())
    broken = case.op.violated(args)
    assert (broken.id if broken else None) == case.case.rejects


@by_accepted
def test_constraints_need_data_of_constants_only(case: OperatorCase) -> None:
    assert case.op.violated(case.baked()) is None


@by_accepted
def test_cases_repeat(case: OperatorCase) -> None:
    first, second = case.args(), case.args()
    for name, value in first.items():
        if name in case.op.tensor_arguments and name not in case.op.ignored:
            pairs = zip(tensors(value), tensors(second[name]), strict=True)
            assert all(same_bytes(a, b) for a, b in pairs), name


def function_schema(target: str) -> torch.FunctionSchema:
    namespace, packet, overload = target.split(".")
    packets = getattr(torch.ops, namespace)
    schema: torch.FunctionSchema = getattr(getattr(packets, packet), overload)._schema
    return schema


@by_operator
def test_patterns_speak_atens_language(op: OpDef) -> None:
    for pattern in op.patterns:
        for target in pattern.targets:
            names = {a.name for a in function_schema(target).arguments}
            used = {*pattern.activations, pattern.weight, pattern.bias, *pattern.parameters}
            assert used - {None} <= names, target


def _is_function(target: str) -> bool:
    return target.split(".")[0] in ("aten", functions.NAMESPACE)


@by_operator
def test_lowerings_name_aten_operators(op: OpDef) -> None:
    targets = [t for lowering in op.lowerings for t in lowering.targets if _is_function(t)]
    for target in {*targets, *op.preserve}:
        assert function_schema(target)


def test_args_by_name_only() -> None:
    """A case with a wrong argument is an error and not a silent default."""
    op = next(iter(operators().values()))
    values = dict.fromkeys(op.argument_names)
    assert vars(op.bind(values)) == values
    for wrong in (values | {"nonsense": 1}, dict(list(values.items())[1:])):
        with pytest.raises(ValueError, match="missing or unknown"):
            op.bind(wrong)
