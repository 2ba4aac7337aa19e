"""The product on its board: each test starts with a board that has just booted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from cortorch.images.image import Image
from cortorch.on_device.pytest_dut import BoardDut
from cortorch.program import Program

BOOT_S = 20
ANSWER_S = 20


def test_boots(dut: BoardDut) -> None:
    dut.expect_exact("ready", timeout=BOOT_S)


def test_fits(firmware: Image) -> None:
    """The budget of the product: half of what the smallest board has."""
    assert firmware.sizes.flash_bytes < 128 * 1024
    assert firmware.sizes.ram_bytes < 32 * 1024


def test_measurements(
    dut: BoardDut, program: Program, measurement: Callable[[int], torch.Tensor]
) -> None:
    """What the board says is what the model says."""
    dut.expect_exact("ready", timeout=BOOT_S)
    for number in range(10):
        dut.write(str(number))
        found = dut.expect(r"class (\d+)", timeout=ANSWER_S)
        assert int(found[1]) == int(program.run(measurement(number)).argmax())


def test_crash_is_reported(dut: BoardDut) -> None:
    dut.expect_exact("ready", timeout=BOOT_S)
    dut.write("x")
    dut.expect(r"fault: exception \d+ pc=0x", timeout=ANSWER_S)


@pytest.mark.parametrize("noise", ["hello", "\0\0", "?" * 40])
def test_noise_does_no_harm(dut: BoardDut, noise: str) -> None:
    dut.expect_exact("ready", timeout=BOOT_S)
    dut.write(noise + "7")
    dut.expect(r"class \d+", timeout=ANSWER_S)
