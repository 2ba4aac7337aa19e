"""Programs that are damaged, foreign or not for us: one clear error each, and nothing written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from executorch.exir import to_edge
from executorch.runtime import Runtime

import cmsis_nn_ops.registry  # noqa: F401  (the dialect must be registered before a program is made)
import cortorch
from cortorch.errors import CorTorchError, PteError
from cortorch.forms import pte
from cortorch.forms.bake import bake
from cortorch.target import HostTarget
from networks import small

FLIPS = 400


@pytest.fixture(scope="module")
def sealed() -> bytes:
    module, inputs = small("residual")
    return cortorch.export(module, inputs[0], calibration=inputs, name="residual").pte


def unsealed(data: bytes) -> bytes:
    return data[: -pte.SEAL_BYTES]


def flipped(data: bytes, position: int, bit: int) -> bytes:
    changed = bytearray(data)
    changed[position] ^= 1 << bit
    return bytes(changed)


def test_executorch_reads_a_sealed_program(sealed: bytes) -> None:
    program = Runtime.get().load_program(sealed)
    assert "forward" in program.method_names
    assert program.metadata("forward").num_inputs() == 1


def test_names_of_the_ports(sealed: bytes) -> None:
    program = pte.read(sealed)
    assert [p.name for p in program.inputs] == ["x"]
    assert "stem.0" in [c.name for c in program.calls]


def test_any_changed_byte_breaks_the_seal(sealed: bytes, rng: np.random.Generator) -> None:
    for position in rng.integers(0, len(sealed) - pte.SEAL_BYTES, 50):
        with pytest.raises(PteError, match=r"damaged|identifier"):
            pte.read(flipped(sealed, int(position), int(rng.integers(8))))


@pytest.mark.parametrize("part", [0.0, 0.001, 0.1, 0.5, 0.9, 0.99])
def test_truncated(part: float, sealed: bytes) -> None:
    with pytest.raises(PteError, match=r"damaged|identifier"):
        pte.read(sealed[: int(len(sealed) * part)])


def test_unsealed_is_accepted(sealed: bytes) -> None:
    assert pte.read(unsealed(sealed)).calls


def test_flips_without_a_seal_never_crash(
    sealed: bytes, rng: np.random.Generator, tmp_path: Path
) -> None:
    """A flipped bit is refused, or makes a program that is still well-formed (another weight,
    another name)."""
    body = unsealed(sealed)
    refused = 0
    for position in rng.integers(0, len(body), FLIPS):
        try:
            pte.read(flipped(body, int(position), int(rng.integers(8))))
        except PteError:
            refused += 1
    assert refused > FLIPS // 20, "flips in the program's structure must be noticed"


def test_nothing_is_written_for_a_damaged_file(sealed: bytes, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.pte", tmp_path / "bad.pte"
    good.write_bytes(sealed)
    bad.write_bytes(flipped(sealed, len(sealed) // 2, 0))
    with pytest.raises(PteError, match=r"bad\.pte"):
        bake({"good": good, "bad": bad}, tmp_path / "out", HostTarget())
    assert not (tmp_path / "out").exists()


def float_program() -> bytes:
    module = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    exported = torch.export.export(module, (torch.zeros(1, 4),))
    return bytes(to_edge(exported).to_executorch().buffer)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (float_program, r"no kernel here: aten::"),
        (lambda: b"", "not an ExecuTorch program"),
        (lambda: b"\0" * 100, "not an ExecuTorch program"),
        (lambda: b"\x7fELF" + b"ET12" * 20, "not an ExecuTorch program|cannot be parsed"),
        (lambda: b"\xff\xff\xff\x7fET12" + bytes(200), "cannot be parsed"),
    ],
    ids=["float_operators", "empty", "zeros", "elf", "wild_offset"],
)
def test_refused(make: Callable[[], bytes], text: str) -> None:
    with pytest.raises(PteError, match=text):
        pte.read(make())


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CorTorchError, match=r"absent\.pte: cannot be read"):
        pte.read(tmp_path / "absent.pte")
