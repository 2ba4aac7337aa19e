"""`ops`: what of PyTorch runs on the device, and how."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmsis_nn_ops import OpDef

HELP = "list the supported operators"
DESCRIPTION = """List the operators: the PyTorch calls that become each, the types of its data, as
its test cases have them (float32: what stays in float runs, too), and the kernels, of which every
core takes the fastest that it can. Other calls are taken apart into these."""

COLUMNS = ("operator", "does", "for PyTorch's", "data", "kernels")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--markdown", action="store_true", help="as a table for documents")


def run(arguments: argparse.Namespace) -> None:
    if arguments.markdown:
        print(markdown())
        return
    from cortorch.commands.table import print_table

    print_table(COLUMNS, rows())
    print(f"\nTaken apart into these: {taken_apart()}")


def rows() -> list[tuple[str, ...]]:
    from cmsis_nn_ops import operators

    return [row(op) for op in operators().values()]


def markdown() -> str:
    """As README shows it."""
    lines = [COLUMNS, ["---"] * len(COLUMNS), *([f"`{r[0]}`", *r[1:]] for r in rows())]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{table}\n\nTaken apart into these: {taken_apart()}"


def row(op: OpDef) -> tuple[str, ...]:
    return op.name, op.summary, functions(op), data(op), kernels(op)


def functions(op: OpDef) -> str:
    """What modules call comes first; without a pattern, what it becomes in the edge dialect."""
    targets = [t for pattern in op.patterns for t in pattern.targets] or [
        t for lowering in op.lowerings for t in lowering.targets
    ]
    return joined(short(target) for target in targets if target.startswith("aten."))


def short(target: str) -> str:
    """`aten.conv2d.padding` is `conv2d`."""
    name = target.split(".")[1]
    return name.removesuffix("_copy")


def data(op: OpDef) -> str:
    from cmsis_nn_ops.registry import case_dtypes

    return joined(str(dtype).removeprefix("torch.") for dtype in case_dtypes(op))


def kernels(op: OpDef) -> str:
    names = {"scalar": "portable", "dsp": "DSP", "mve": "Helium"}
    return joined(names[kernel.isa.name.lower()] for kernel in reversed(op.kernels))


def taken_apart() -> str:
    from cortorch.quantization import decompositions

    targets = sorted(short(t) for t in (*decompositions.TABLE, *decompositions.COMPOSITE))
    return joined(targets)


def joined(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(texts))
