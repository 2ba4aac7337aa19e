"""Finds the operators: every folder beside this file that has an ``op.py``."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from cmsis_nn_ops.op_def import OpDef

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
