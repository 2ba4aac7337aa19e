"""Runs the suites: see the package's docstring."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from cortorch.images.board import Board, default_board, list_boards, load_board
from peer import batches, case, expectation, report
from peer.suites import SUITES, Suite
from peer.verdict import Verdict, judge

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build" / "peer"
OUTPUT = "CORTORCH_PEER_OUTPUT"
RECORDS = "records"
RECORDED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m peer", description="Conformance suites.")
    parser.add_argument("suites", nargs="*", help=f"of: {', '.join(SUITES)}; all by default")
    parser.add_argument("-k", default="", help="only tests whose names match, as in pytest")
    parser.add_argument("--board", action="append", help="board to run on; or 'none'")
    parser.add_argument("--recorded", action="store_true", help="what the last call recorded")
    parser.add_argument("--resume", action="store_true", help="keep records in which all is well")
    parser.add_argument("--jobs", type=int, default=2, help="processes that record, 2 by default")
    parser.add_argument("--update", action="store_true", help="write the committed expectation")
    return parser.parse_args()


def main() -> int:
    options = parse()
    chosen = [SUITES[name] for name in options.suites or SUITES]
    boards = [load_board(name) for name in options.board or default_boards() if name != "none"]
    found: dict[str, list[Verdict]] = {}
    failures = 0
    for suite in chosen:
        if not options.recorded:
            record(suite, options)
        found[suite.name] = run(suite, boards)
        report.print_table(suite.name, found[suite.name], BUILD / f"{suite.name}.txt")
        report.print_score(suite.name, found[suite.name])
        if options.update:
            expectation.save(suite.name, found[suite.name])
        failures += conclude(suite.name, found[suite.name], is_whole=not options.k)
    report.write_summary(found, BUILD / "summary.json")
    return 1 if failures else 0


def default_boards() -> list[str]:
    """The PC, under sanitizers, and the emulated board."""
    return [*(n for n in list_boards() if load_board(n).is_host), default_board()]


def record(suite: Suite, options: argparse.Namespace) -> None:
    """Runs the tests on the reference, in a few pytest processes."""
    if not options.resume:
        shutil.rmtree(BUILD / suite.name, ignore_errors=True)
    files = suite.files()
    processes = [
        _pytest(suite, files[number :: options.jobs], options.k, number)
        for number in range(options.jobs)
    ]
    statuses = [process.wait() for process in processes]
    if broken := [str(n) for n, status in enumerate(statuses) if status not in RECORDED]:
        logs = ", ".join(f"{BUILD / suite.name}/pytest{n}.log" for n in broken)
        raise SystemExit(f"{suite.name}: pytest broke off; see {logs}")


def _pytest(
    suite: Suite, files: Sequence[Path], pattern: str, number: int
) -> subprocess.Popen[bytes]:
    folder = BUILD / suite.name
    output = folder / RECORDS
    output.mkdir(parents=True, exist_ok=True)
    paths = os.pathsep.join(map(str, (ROOT / "tests", ROOT, ROOT / "pytools")))
    environment = {**os.environ, "PYTHONPATH": paths, OUTPUT: str(output), "OMP_NUM_THREADS": "1"}
    options = ["-p", "peer.plugin", "-c", os.devnull, "--rootdir", str(folder), "-q", "--tb=line"]
    options += ["-p", "no:cacheprovider", "--import-mode=importlib", "--show-capture=no"]
    options += ["-k", pattern, *([] if suite.own_conftest else ["--noconftest"])]
    command = [sys.executable, "-m", "pytest", *options, *map(str, files)]
    with (folder / f"pytest{number}.log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder)


def run(suite: Suite, boards: Sequence[Board]) -> list[Verdict]:
    cases = case.read_all(BUILD / suite.name / RECORDS)
    runs = [run for c in cases for run in c.runs]
    results = {}
    for board in boards:
        done = 0

        def progress(count: int, on: str = board.name) -> None:
            nonlocal done
            done += count
            print(f"{suite.name} on {on}: {done} of {len(runs)} inferences", flush=True)

        results[board.name] = batches.execute(runs, board, BUILD / suite.name, progress)
    verdicts, first = [], 0
    for c in cases:
        mine = {board: r[first : first + len(c.runs)] for board, r in results.items()}
        verdicts.append(judge(c, mine))
        first += len(c.runs)
    return verdicts


def conclude(suite: str, verdicts: Sequence[Verdict], *, is_whole: bool) -> int:
    """Prints the score and what differs from the expectation; number of differences."""
    found = report.summary(verdicts)
    print(
        f"{suite}: {found['passed']} of {found['total']} cases pass, {found['int8_only']} of them "
        f"without float operators; {found['tests_passed']} of {found['tests']} tests; "
        f"table in {(BUILD / suite).relative_to(ROOT)}.txt"
    )
    if not is_whole:
        return 0
    different = list(expectation.differences(expectation.load(suite), verdicts))
    for line in different:
        print(f"  {line}")
    if different:
        print(f"  compared with tests/peer/expected/{suite}.yml; --update writes it anew")
    return len(different)


if __name__ == "__main__":
    sys.exit(main())
