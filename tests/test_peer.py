"""The conformance harness judges rightly; the suites themselves run with `make peer`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import torch

from peer import expectation, report, suites
from peer.__main__ import conclude
from peer.batches import Result
from peer.case import Case, Run
from peer.expectation import Expectation, differences
from peer.verdict import FAILED, PASSED, judge

Y = torch.tensor([1.0, float("nan")])
NEAR, FAR = Y + 0.01, Y + 1


def case(outcome: str = PASSED, floats: tuple[str, ...] = (), name: str = "abs::test_abs") -> Case:
    run = Run(b"", [], [Y], Counter({"op": 1}), list(floats), expected=[Y], atol=0.1)
    return Case(name, outcome, "" if outcome == PASSED else "because", [run])


@pytest.mark.parametrize(
    ("given", "result", "status"),
    [
        pytest.param(case(), Result([Y]), PASSED, id="same-bytes"),
        pytest.param(case(), Result([NEAR]), FAILED, id="near-is-not-enough-for-int8"),
        pytest.param(case(floats=("exp",)), Result([NEAR]), PASSED, id="near-with-floats"),
        pytest.param(case(floats=("exp",)), Result([FAR]), FAILED, id="far-with-floats"),
        pytest.param(case(), Result(error="no answer"), FAILED, id="crash"),
        pytest.param(case("failed"), Result([Y]), FAILED, id="fails-on-the-reference"),
        pytest.param(case("skipped"), Result([Y]), "skipped", id="skipped"),
    ],
)
def test_verdict(given: Case, result: Result, status: str) -> None:
    assert judge(given, {"board": [result]}).status == status


def test_regressions_and_improvements_are_named() -> None:
    names = ("broken", "mended", "float", "steady")
    cases = [
        case("failed", name="broken"),
        case(name="mended"),
        case(floats=("exp",), name="float"),
        case(name="steady"),
    ]
    verdicts = [judge(c, {}) for c in cases]
    expected = Expectation(total=len(names), rest={"mended": "no such operator"})
    assert [line.split()[0] for line in differences(expected, verdicts)] == list(names[:3])


def test_what_is_written_is_what_is_expected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expectation, "FOLDER", tmp_path)
    verdicts = [judge(case("failed", name="a"), {}), judge(case(floats=("exp",), name="b"), {})]
    expectation.save("suite", verdicts)
    assert list(differences(expectation.load("suite"), verdicts)) == []
    assert report.summary(verdicts) == {
        "total": 2,
        "passed": 1,
        "int8_only": 0,
        "tests": 2,
        "tests_passed": 1,
        "rest": [{"case": "a", "reason": "because"}],
        "skipped": [],
    }


def test_a_regression_makes_a_whole_run_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expectation, "FOLDER", tmp_path)
    expectation.save("suite", [judge(case(), {})])
    assert conclude("suite", [judge(case(), {})], is_whole=True) == 0
    assert conclude("suite", [judge(case("failed"), {})], is_whole=True) == 1
    assert conclude("suite", [judge(case("failed"), {})], is_whole=False) == 0


def test_written_reasons_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expectation, "FOLDER", tmp_path)
    expectation.save("suite", [judge(case("failed"), {})])
    file = tmp_path / "suite.yml"
    assert f"{expectation.TO_DO}because" in file.read_text()
    file.write_text(file.read_text().replace(f"'{expectation.TO_DO}because'", "a good one"))
    expectation.save("suite", [judge(case("failed"), {})])
    assert "a good one" in file.read_text()


@pytest.mark.parametrize("suite", suites.SUITES.values(), ids=lambda suite: suite.name)
def test_the_wheel_has_the_suites(suite: suites.Suite) -> None:
    assert len(suite.files()) > 10
    assert (expectation.FOLDER / f"{suite.name}.yml").exists()
