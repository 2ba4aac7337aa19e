"""The plugin as its users have it: a pytest of their own, in a folder of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cortorch.images.board import default_board
from cortorch.on_device.protocol.codec import Frame, encode_frame
from cortorch.on_device.pytest_dut import Splitter

ROOT = Path(__file__).resolve().parent.parent

RUNS_A_MODEL = """
from pathlib import Path

import numpy as np
import pytest
from cortorch.errors import DeviceError

@pytest.fixture
def arrays(models):
    (path,) = models.values()
    return [np.load(path.with_name(name)) for name in ("x.npy", "y.npy")]

def test_run(dut, arrays):
    x, y = arrays
    np.testing.assert_array_equal(dut.run(x), y, strict=True)
    np.testing.assert_array_equal(dut.run(x, model="tiny"), y, strict=True)

def test_mistakes(dut, arrays):
    with pytest.raises(DeviceError, match="no model 'none_such'; it has: tiny"):
        dut.run(arrays[0], model="none_such")
    with pytest.raises(DeviceError, match="takes 1 inputs, 0 were given"):
        dut.run()
"""

READS_THE_CONSOLE = """
import pexpect
import pytest

@pytest.fixture(scope="session")
def firmware_app(tmp_path_factory):
    app = tmp_path_factory.mktemp("app")
    (app / "main.c").write_text('''
#include "ct_platform.h"
#include "ct_text.h"
#include "ct_uart.h"

int main(void)
{
    ct_text("ready\\\\n");
    for (;;) {
        const int byte = ct_uart_get();
        if (byte >= 0) {
            ct_text("got ");
            ct_text_unsigned((uint32_t)byte);
            ct_text("\\\\n");
        } else {
            ct_uart_wait();
        }
    }
}
''')
    return app

def test_every_test_has_a_fresh_board(dut):
    dut.expect("ready", timeout=20)

def test_expect(dut):
    dut.expect("ready", timeout=20)
    dut.write("A")
    dut.expect_exact("got 65", timeout=20)
    with pytest.raises(pexpect.TIMEOUT):
        dut.expect("more", timeout=0.5)
"""


def run_pytest(folder: Path, test: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs a user's test file."""
    (folder / "test_user.py").write_text(test)
    return call_pytest(folder, *options)


def call_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """In a folder of the user's; its logs stay there."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--root-logdir=logs"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    return subprocess.run(
        [*command, "--cache-dir=logs", *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_pytest_does_not_wait_for_torch() -> None:
    check = (
        "import sys, cortorch.on_device.pytest_plugin, cortorch.cli; "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_without_a_board_nothing_changes(tmp_path: Path) -> None:
    test = "def test_embedded(dut): assert type(dut).__module__ == 'pytest_embedded.dut'\n"
    result = run_pytest(tmp_path, test)
    assert "1 passed" in result.stdout, result.stdout


def test_unknown_board_is_one_clear_error(tmp_path: Path) -> None:
    result = run_pytest(tmp_path, "def test_run(dut): pass\n", "--board=none_such")
    assert "there is no board 'none_such'" in result.stdout, result.stdout


@pytest.mark.emulator
@pytest.mark.parametrize("test", [RUNS_A_MODEL, READS_THE_CONSOLE], ids=["run", "expect"])
def test_dut(tmp_path: Path, model: Path, test: str) -> None:
    result = run_pytest(tmp_path, test, f"--board={default_board()}", f"--model={model}")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "passed" in result.stdout


@pytest.mark.emulator
def test_tutorial(tmp_path: Path) -> None:
    """The suite for a firmware of one's own, as a user copies it; then without a build."""
    folder = tmp_path / "hil"
    shutil.copytree(ROOT / "examples" / "hil", folder)
    for options in ((), ("--no-build", "-k", "boots")):
        result = call_pytest(folder, f"--board={default_board()}", *options)
        assert result.returncode == 0, result.stdout + result.stderr


def test_splitter_tells_frames_from_text(rng: np.random.Generator) -> None:
    frames = [encode_frame(Frame(0x81, 0, n, rng.bytes(50))) for n in range(3)]
    stream = b"boot\r\n" + frames[0] + frames[1] + b"fault!" + frames[2]
    splitter = Splitter()
    text, found = b"", b""
    for byte in stream:
        new_text, new_frames = splitter.feed(bytes([byte]))
        text, found = text + new_text, found + new_frames
    assert (text, found) == (b"boot\r\nfault!", b"".join(frames))


def test_splitter_keeps_no_text_back() -> None:
    splitter = Splitter()
    assert splitter.feed(b"ready\n") == (b"ready\n", b"")
    assert splitter.feed(b"\0half") == (b"", b"")
    assert splitter.flush() == b"half"
