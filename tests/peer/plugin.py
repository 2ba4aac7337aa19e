"""Loaded into the pytest process of a suite: our backend in place of upstream's, and a record."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import unittest
import zlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._export.utils
from executorch.backends.test.suite import reporting, runner
from executorch.backends.test.suite.flow import TestFlow

import cortorch.compat
from peer import case, companions, recorder, stand_ins

OUTPUT = "CORTORCH_PEER_OUTPUT"
"""Environment variable: folder for the records."""
SEED = 0
TEST_TIMEOUT_S = 600

cortorch.compat.install(stand_ins.counterparts())
# Some of upstream's modules import each other in a circle, which must be entered here.
with contextlib.suppress(ImportError):
    import executorch.backends.arm.quantizer  # noqa: F401

# Each export asks several times for all composite operators, which takes 0.1 s or more.
torch._export.utils._collect_all_valid_cia_ops = functools.cache(
    torch._export.utils._collect_all_valid_cia_ops
)

# The shared suite skips what ExecuTorch's portable kernels do not have. We do not run on those.
runner.UNSUPPORTED_PORTABLE_OPS.clear()
runner._graph_has_unsupported_patterns = lambda program: False

# Nor do the reasons for which it skips tests hold for us.
unittest.skip = lambda reason: lambda test: test  # type: ignore[assignment]

FLOW = TestFlow(
    "cortorch",
    backend="cortorch",
    tester_factory=recorder.RecordingTester,
    quantize=True,
    quantize_stage_factory=stand_ins.CortexMQuantize,
    is_delegated=False,
)

companions.prepare()


class Runner:
    """The shared suite's ``test_runner``, but a sub-test that fails does not end the test."""

    def __init__(self, name: str, base_name: str) -> None:
        self._names = name, base_name
        self._flow = FLOW
        self.results: list[reporting.TestCaseSummary] = []

    def lower_and_run_model(
        self,
        model: torch.nn.Module,
        inputs: Any,
        generate_random_test_inputs: bool = True,
        dynamic_shapes: Any = None,
    ) -> None:
        summary = runner.run_test(
            model,
            inputs,
            self._flow,
            *self._names,
            len(self.results),
            None,
            dynamic_shapes=dynamic_shapes,
            generate_random_test_inputs=generate_random_test_inputs,
        )
        self.results.append(summary)

    def conclude(self) -> None:
        """Fails with the first sub-test that did; skips if none could run, not even in PyTorch."""
        texts = [f"{s.result.name} (sub-test {n}): {s.error}" for n, s in enumerate(self.results)]
        for text, summary in zip(texts, self.results, strict=True):
            if summary.result.is_backend_failure():
                raise AssertionError(text) from summary.error
        if not any(summary.result.is_success() for summary in self.results):
            pytest.skip(texts[0] if texts else "no sub-test")


@pytest.fixture
def test_runner(request: pytest.FixtureRequest) -> Runner:
    torch.manual_seed(zlib.crc32(request.node.name.encode()))
    return Runner(request.node.name, request.node.originalname)


def pytest_sessionstart() -> None:
    reporting.begin_test_session(None, seed=SEED)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Nothing is expected to fail: what upstream marks xfail runs like the rest."""
    for item in items:
        item.own_markers = [m for m in item.own_markers if m.name not in ("xfail", "flaky")]


def _give_up(number: int, frame: object) -> None:
    raise TimeoutError(f"not done after {TEST_TIMEOUT_S} s")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(TEST_TIMEOUT_S)
    try:
        result = yield
    finally:
        signal.alarm(0)
    found = getattr(item, "funcargs", {}).get("test_runner")
    if isinstance(found, Runner):
        found.conclude()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    recorder.current = case.Case(f"{item.path.stem.removeprefix('test_')}::{item.name}")
    result = yield
    case.write(recorder.current, Path(os.environ[OUTPUT]), item.session.items.index(item))
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """The last phase with something to say decides."""
    if report.when == "call" or report.outcome != "passed":
        recorder.current.outcome = report.outcome
        recorder.current.reason = _reason(report)


def _reason(report: pytest.TestReport) -> str:
    if report.outcome == "skipped":
        return (
            str(report.longrepr[-1]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
        )
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr or "")
