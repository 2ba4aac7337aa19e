"""Upstream's import paths lead to cortorch, and the two never share a process."""

from __future__ import annotations

import subprocess
import sys

import pytest

UPSTREAM = "executorch.backends.cortex_m"
SCRIPT = f"""
import cortorch.compat
from {UPSTREAM}.edge_compile_config import cortex_m_edge_compile_config
from {UPSTREAM}.passes.cortex_m_pass_manager import CortexMPassManager
from {UPSTREAM}.quantizer.quantizer import CortexMQuantizer
from {UPSTREAM}.target_config import CortexM, CortexMTargetConfig
from {UPSTREAM}.test.tester import CortexMTester, McuTestCase, ramp_tensor
import {UPSTREAM}.ops.operators

for ours in (CortexMPassManager, CortexMQuantizer, CortexMTargetConfig, CortexMTester):
    assert ours.__module__.startswith("cortorch."), ours
"""
LATE = f"import {UPSTREAM}.target_config\nimport cortorch.compat"
BOTH = f"import cortorch.edge.dialect\nimport {UPSTREAM}.ops.operators"
INTERNAL = f"import cortorch.compat\nimport {UPSTREAM}.passes.aten_to_cortex_m_pass"
MISSING = f"import cortorch.compat\nfrom {UPSTREAM}.passes import AtenToCortexMPass"


def run(script: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: what is imported stays imported."""
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )


def test_paths_lead_here() -> None:
    result = run(SCRIPT)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("script", "says"),
    [
        pytest.param(LATE, f"{UPSTREAM}.library is loaded", id="upstream-first"),
        pytest.param(BOTH, "Import cortorch.compat before anything else", id="upstream-second"),
        pytest.param(INTERNAL, "no counterpart", id="module-of-its-own"),
        pytest.param(MISSING, "no counterpart", id="name-of-its-own"),
    ],
)
def test_meeting_is_one_clear_error(script: str, says: str) -> None:
    result = run(script)
    assert result.returncode != 0
    last = result.stderr.strip().splitlines()[-2:]
    assert "CompatError" in "".join(last)
    assert says in "".join(last)
