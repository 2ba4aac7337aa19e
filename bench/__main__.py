"""`make bench`: what inferences cost on each emulated core, exactly; their outputs are checked.

.venv/bin/python -m bench [--board NAME ...] [--update] [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench import baseline, operators, tables
from bench.measure import BUILD, Inference, Measurement, counting_runner, measure
from bench.networks import NETWORKS, Network
from cortorch.errors import CorTorchError, TooBigError
from cortorch.images.board import Board, list_boards, load_board
from cortorch.quiet import quiet_imports

OPERATORS = "operators"
Results = dict[str, dict[str, Measurement]]


def main(argv: Sequence[str]) -> int:
    arguments = parse(argv)
    boards = [load_board(name) for name in arguments.board or emulated_boards()]
    names = arguments.names or [*NETWORKS, OPERATORS]
    chosen = [NETWORKS[name] for name in names if name in NETWORKS]
    before = {} if arguments.compiler else baseline.load()
    found = []
    if chosen:
        found.append(networks(boards, chosen, arguments.compiler, before))
        write_json(BUILD / "summary.json", found[-1])
    if OPERATORS in names:
        found.append(single_operators(boards, arguments.compiler))
        write_json(BUILD / "operators.json", found[-1])
    if arguments.update:
        for results in found:
            baseline.update(results)
    return max([verdict(results, before) for results in found])


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"networks, or {OPERATORS}")
    parser.add_argument(
        "-b", "--board", action="append", metavar="NAME", help="default: every emulated one"
    )
    parser.add_argument(
        "--compiler",
        choices=("clang", "gcc"),
        help="default: what images are built with; a choice is not compared with the baseline",
    )
    parser.add_argument(
        "--update", action="store_true", help="make what is measured the new baseline"
    )
    arguments = parser.parse_args(argv)
    if unknown := set(arguments.names) - {*NETWORKS, OPERATORS}:
        parser.error(f"no network is named {', '.join(sorted(unknown))}")
    if arguments.update and arguments.compiler:
        parser.error("the baseline is of the default compiler: --update without --compiler")
    return arguments


def emulated_boards() -> list[str]:
    return [name for name in list_boards() if counting_runner(load_board(name))]


def networks(
    boards: Sequence[Board],
    chosen: Sequence[Network],
    compiler: str | None,
    before: baseline.Baseline,
) -> Results:
    inferences = [exported(network) for network in chosen]
    results: Results = {}
    for board in boards:
        print(f"\n{board.name} ({board.description})", flush=True)
        fitting: dict[str, Measurement] = {}
        for inference in inferences:
            if not NETWORKS[inference.name].belongs_on(board.name):
                continue
            try:
                fitting |= measure(board, [inference], compiler)
            except TooBigError:
                print(f"{inference.name} does not fit")
        if fitting:
            results[board.name] = fitting
            tables.show(board.name, fitting, before)
    return results


def single_operators(boards: Sequence[Board], compiler: str | None) -> Results:
    inferences = operators.inferences()
    results: Results = {}
    for board in boards:
        if board.name in operators.BOARDS:
            print(f"\n{board.name}: single operators", flush=True)
            results[board.name] = measure(board, inferences, compiler)
            tables.show_operators(board, inferences, results[board.name])
    if unmeasured := operators.without_benchmark():
        print(f"no BENCHMARKS in cases.py: {', '.join(unmeasured)}")
    return results


def exported(network: Network) -> Inference:
    print(f"exporting {network.name}", flush=True)
    module, inputs = network.build()
    with quiet_imports():
        from cortorch.exporter import export

        program = export(module, inputs[0], calibration=inputs, name=network.name)
    return Inference.of(network.name, program.static, list(inputs[0]))


def write_json(path: Path, results: Results) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    summary = {
        board: {name: asdict(m) for name, m in measured.items()}
        for board, measured in results.items()
    }
    path.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")


def verdict(results: Results, before: baseline.Baseline) -> int:
    """Exit status, and why."""
    wrong = [
        f"{name} on {board}: {m.mismatches} output values are not the reference's"
        for board, measured in results.items()
        for name, m in measured.items()
        if m.mismatches
    ]
    failures = [*wrong, *baseline.regressions(results, before)]
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except CorTorchError as error:
        sys.exit(f"error: {error}")
