"""Where two runs part: a fault that is built into one variant of a kernel is found, and named."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from cortorch.cli import main
from cortorch.images.board import default_board
from cortorch.on_device.compare import compare, trace
from cortorch.paths import ops_dir
from cortorch.program import Program

FAULTY = """
static ct_status genuine({parameters})
{body}
ct_status {kernel}({parameters})
{{
    const ct_status status = genuine({arguments});
    {output}[5] ^= 1;
    return status;
}}
"""


def broken(source: str, kernel: str) -> str:
    """The kernel's source, in which the kernel flips the lowest bit of its output's element 5."""
    definition = re.search(rf"^ct_status {kernel}\(([^)]*)\)\n(\{{.*?^\}}\n)", source, re.M | re.S)
    assert definition is not None
    parameters = definition[1]
    names = [re.findall(r"\w+", parameter)[-1] for parameter in parameters.split(",")]
    (output,) = re.findall(r"(?:^|,)\s*int8_t \*(\w+)", parameters)
    text = FAULTY.format(
        parameters=parameters,
        body=definition[2],
        kernel=kernel,
        arguments=", ".join(names),
        output=output,
    )
    return source[: definition.start()] + text + source[definition.end() :]


def break_kernel(folder: Path, kernel: str) -> Path:
    """A copy of all operators' sources, with a fault in one kernel."""
    shutil.copytree(ops_dir(), folder)
    (path,) = folder.glob(f"*/{kernel.removeprefix('ct_')}.c")
    path.write_text(broken(path.read_text(), kernel))
    return folder


@pytest.fixture
def program(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    monkeypatch.setenv("CORTORCH_BUILD_DIR", str(tmp_path / "build"))
    return Program.load(model)


@pytest.fixture
def x(model: Path) -> torch.Tensor:
    return torch.from_numpy(np.load(model.with_name("x.npy")))


def compare_command(model: Path, *words: str | Path) -> int:
    x = model.with_name("x.npy")
    return main(["compare", str(model), "-i", str(x), *map(str, words)])


def test_same(model: Path, program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    steps = len(program.static.calls)
    assert compare_command(model, "--on", "host") == 0
    assert f"all {steps} steps are the same on host and on reference" in capsys.readouterr().out


def test_trace_ends_with_the_outputs(program: Program, x: torch.Tensor) -> None:
    *_, last = trace(program, [x], "host")
    (y,) = program.run(x)
    assert torch.equal(torch.from_numpy(last.tensor), y)


@pytest.mark.emulator
def test_fault_in_a_variant_is_found(
    model: Path,
    program: Program,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The same step is right on the PC, which runs another variant of its kernel."""
    board = default_board()
    number, row = next((i, r) for i, r in enumerate(program.report.rows) if r.macs)
    assert row.kernel.endswith(("_mve", "_dsp"))
    scratch = break_kernel(tmp_path / "ops", row.kernel)
    monkeypatch.setattr("cortorch.images.image.ops_dir", lambda: scratch)
    assert compare_command(model, "--on", board, "-o", tmp_path / "tensors") == 1
    text = capsys.readouterr().err
    assert (
        f"step {number} of {len(program.static.calls)} is the first to differ: {row.name}" in text
    )
    assert re.search(r'\(File "conftest\.py", line \d+, in \w+\)|\(File "\w+\.py", line \d+', text)
    assert "1 of 12 elements of int8 [1, 2, 2, 3] differ; the first is at [0, 0, 1, 2]" in text
    ours, theirs = (np.load(path) for path in sorted((tmp_path / "tensors").iterdir()))
    (index,) = np.argwhere(ours != theirs)
    assert tuple(index) == (0, 0, 1, 2)
    assert ours[0, 0, 1, 2] ^ theirs[0, 0, 1, 2] == 1
    assert f"  {board} ({row.kernel}): {ours[0, 0, 1, 2]}\n" in text
    assert f"  reference (reference): {theirs[0, 0, 1, 2]}\n" in text


def test_every_bit_counts(
    program: Program, x: torch.Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a float output, too: 0.0 and -0.0 are equal, but not the same."""
    genuine = program.static.trace

    def altered(*inputs: torch.Tensor) -> Iterator[torch.Tensor]:
        *steps, last = genuine(*inputs)
        assert (last == 0).any(), "a relu has made it"
        yield from steps
        yield torch.where(last == 0, -last, last)

    monkeypatch.setattr(program.static, "trace", altered)
    found = compare(program, [x], "host")
    assert found is not None
    assert found.node == program.static.calls[-1].name
    assert np.array_equal(found.outputs[0].tensor, found.outputs[1].tensor)
