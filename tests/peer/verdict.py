"""What became of a case: pytest's outcome on the reference, joined with what the boards gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from peer.batches import Result
from peer.case import Case, Run, Tensors

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


@dataclass(frozen=True)
class Verdict:
    case: Case
    status: str
    reason: str
    exact: Mapping[str, bool]
    """By board: every byte of every run is as on the reference."""

    @property
    def int8_only(self) -> bool:
        return not self.case.float_nodes


def judge(case: Case, results: Mapping[str, Sequence[Result]]) -> Verdict:
    """``results`` by board, one for each of the case's runs.

    A board passes if it gives the reference's bytes, or, where floats make that impossible, numbers
    within the suite's tolerance.
    """
    exact = {
        board: all(_same(run.reference, r.outputs) for run, r in zip(case.runs, given, strict=True))
        for board, given in results.items()
    }
    if case.outcome != PASSED:
        status = SKIPPED if case.outcome == SKIPPED else FAILED
        return Verdict(case, status, case.reason, exact)
    for board, given in results.items():
        for run, result in zip(case.runs, given, strict=True):
            problem = _problem(run, result)
            if problem:
                return Verdict(case, FAILED, f"on {board}: {problem}", exact)
    return Verdict(case, PASSED, "", exact)


def _same(a: Tensors, b: Tensors) -> bool:
    """Bit for bit; a NaN is equal to itself."""
    return len(a) == len(b) and all(
        x.shape == y.shape and x.numpy().tobytes() == y.numpy().tobytes()
        for x, y in zip(a, b, strict=True)
    )


def _problem(run: Run, result: Result) -> str:
    if result.error:
        return result.error
    if _same(run.reference, result.outputs):
        return ""
    if not run.float_nodes:
        return "other bytes than the reference, and no float operator to blame"
    for number, (wanted, got) in enumerate(zip(run.expected, result.outputs, strict=True)):
        if not torch.allclose(got, wanted, rtol=run.rtol, atol=run.atol, equal_nan=True):
            return f"output {number} is not within atol {run.atol:g}, rtol {run.rtol:g}"
    return ""
