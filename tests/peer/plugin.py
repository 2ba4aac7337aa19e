"""Loaded into the pytest process of a suite: our backend in place of upstream's, and a record."""

from __future__ import annotations

import contextlib
import os
import signal
import unittest
import zlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import torch
from executorch.backends.test.suite import reporting, runner
from executorch.backends.test.suite.flow import TestFlow

import cortorch.compat
from peer import case, companions, recorder, shortcuts, stand_ins

OUTPUT = "CORTORCH_PEER_OUTPUT"
"""Environment variable: folder for the records."""
SEED = 0
TEST_TIMEOUT_S = 600

cortorch.compat.install(stand_ins.counterparts())
# Some of upstream's modules import each other in a circle, which must be entered here.
with contextlib.suppress(ImportError):
    import executorch.backends.arm.quantizer  # noqa: F401

shortcuts.install()

# The shared suite skips what ExecuTorch's portable kernels do not have. We do not run on those.
runner.UNSUPPORTED_PORTABLE_OPS.clear()
runner._graph_has_unsupported_patterns = lambda program: False

# What it skips because of another backend's trouble runs; what is beyond the suite does not.
_skip = unittest.skip
unittest.skip = lambda reason: _skip(reason) if "NaN" in reason else lambda test: test  # type: ignore[assignment]

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
    """The shared suite's ``test_runner``: each call is a case, and one that fails does not end the
    test."""

    def __init__(self, test: pytest.Item) -> None:
        self._test = test
        self._flow = FLOW  # read by the suite's tests

    def lower_and_run_model(
        self,
        model: torch.nn.Module,
        inputs: Any,
        generate_random_test_inputs: bool = True,
        dynamic_shapes: Any = None,
    ) -> None:
        number = len(recorder.cases)
        recorder.current = case.Case(f"{_name(self._test)}/{number}")
        summary = runner.run_test(
            model,
            inputs,
            FLOW,
            self._test.name,
            self._test.originalname,
            number,
            None,
            dynamic_shapes=dynamic_shapes,
            generate_random_test_inputs=generate_random_test_inputs,
        )
        recorder.current.outcome, recorder.current.reason = _outcome(summary, model, inputs)
        recorder.cases.append(recorder.current)


def _outcome(
    summary: reporting.TestCaseSummary, model: torch.nn.Module, inputs: Any
) -> tuple[str, str]:
    """The suite also takes a graph that cannot be exported for a fault of the test; that is a
    failure, unless the module does not run in PyTorch itself."""
    if summary.result.is_success():
        return "passed", ""
    reason = f"{summary.result.name}: {summary.error}"
    if summary.result.is_backend_failure():
        return "failed", reason
    try:
        model(*inputs)
    except Exception as error:
        return "skipped", f"the test's own module does not run in PyTorch: {error}"
    return "failed", reason


def _name(item: pytest.Item) -> str:
    return f"{item.path.stem.removeprefix('test_')}::{item.name}"


@pytest.fixture
def test_runner(request: pytest.FixtureRequest) -> Runner:
    torch.manual_seed(zlib.crc32(request.node.name.encode()))
    return Runner(request.node)


def pytest_sessionstart() -> None:
    reporting.begin_test_session(None, seed=SEED)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Nothing is expected to fail: what upstream marks xfail runs like the rest. Tests that have
    a good record already are left out."""
    done = [item for item in items if case.is_good(_folder(), _name(item))]
    config.hook.pytest_deselected(items=done)
    items[:] = [item for item in items if item not in done]
    for item in items:
        item.own_markers = [m for m in item.own_markers if m.name not in ("xfail", "flaky")]


def _folder() -> Path:
    return Path(os.environ[OUTPUT])


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
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test that made no case for the shared suite's runner, or broke off, is one itself."""
    whole = recorder.begin(_name(item))
    result = yield
    if not recorder.cases or whole.outcome == "failed":
        recorder.cases.append(whole)
    case.write(_folder(), whole.name, recorder.cases)
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """The last phase with something to say decides."""
    if report.when == "call" or report.outcome != "passed":
        recorder.test.outcome, recorder.test.reason = report.outcome, _reason(report)


def _reason(report: pytest.TestReport) -> str:
    if report.outcome == "skipped":
        return (
            str(report.longrepr[-1]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
        )
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr or "")
