"""`bake`: a model as C files, for a firmware of your own."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "turn models into C for your own firmware"
DESCRIPTION = """Turn .pte models into C: one source and one header each, to compile together with
CorTorch's C library. The header says how big the arena must be."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("models", nargs="+", type=Path, metavar="FILE.pte")
    parser.add_argument(
        "-t", "--target", required=True, metavar="CPU", help="cortex-m55, host, ..."
    )
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="DIR")


def run(arguments: argparse.Namespace) -> None:
    from cortorch.commands.build import named_models
    from cortorch.forms.bake import bake
    from cortorch.target import parse_target

    models = named_models(tuple(str(path) for path in arguments.models))
    baked = bake(models, arguments.output, parse_target(arguments.target))
    for name, plan in baked.plans.items():
        print(
            f"{arguments.output / name}.c, .h: {len(plan.steps)} steps,"
            f" {plan.constant_bytes:,} bytes of constants, {plan.arena_bytes:,} bytes of arena"
        )
