"""Finds the operators: every folder beside this file that has an ``op.py``."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

import torch

from cmsis_nn_ops.op_def import Case, Foreign, OpDef

OPS_DIR = Path(__file__).resolve().parent


@cache
def operators() -> dict[str, OpDef]:
    """Every operator by name, in name order. Each ``<op>/op.py`` defines one ``OP``."""
    found: dict[str, OpDef] = {}
    for path in sorted(OPS_DIR.glob("*/op.py")):
        name = path.parent.name
        op = importlib.import_module(f"cmsis_nn_ops.{name}.op").OP
        if op.name != name:
            raise ValueError(f"{path}: OP.name is {op.name!r}; the folder says {name!r}")
        found[name] = op
    return found


@cache
def foreign() -> dict[str, tuple[Foreign, OpDef]]:
    """The operators of others by name, each with the one of ours that carries it out."""
    return {f.name: (f, op) for op in operators().values() for f in op.foreign}


def cases(op: OpDef) -> list[Case]:
    """Its test inputs, from ``cases.py``."""
    found: list[Case] = importlib.import_module(f"cmsis_nn_ops.{op.name}.cases").CASES
    return found


def case_dtypes(op: OpDef) -> list[torch.dtype]:
    """Those of the first tensor in the cases that it accepts, and of what comes out; int8 first."""
    found: set[torch.dtype] = set()
    for case in cases(op):
        if case.rejects is None:
            args = op.bind(case.make(torch.Generator().manual_seed(0)))
            first = getattr(args, op.tensor_arguments[0])
            found |= {(first[0] if isinstance(first, list) else first).dtype, op.fake(args).dtype}
    return sorted(found, key=lambda dtype: (dtype != torch.int8, str(dtype)))
