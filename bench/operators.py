"""The micro-benchmark: calls of single operators, of the shapes that real networks have.

Each operator's own `cases.py` lists them as BENCHMARKS; the variants are what the baker chooses.
"""

from __future__ import annotations

import importlib

from bench.measure import Inference
from cmsis_nn_ops import operators
from tests.operator_cases import OperatorCase

# One for each instruction set: the other cores run the same variants.
BOARDS = ("corstone300", "mps2-an386", "mps2-an385")


def benchmarks() -> list[OperatorCase]:
    return [
        OperatorCase(op, case)
        for op in operators().values()
        for case in getattr(
            importlib.import_module(f"cmsis_nn_ops.{op.name}.cases"), "BENCHMARKS", ()
        )
    ]


def without_benchmark() -> list[str]:
    """Operators that nobody has given shapes to."""
    return sorted(set(operators()) - {case.op.name for case in benchmarks()})


def inferences() -> list[Inference]:
    return [Inference.of(case.id, *case.program()) for case in benchmarks()]
