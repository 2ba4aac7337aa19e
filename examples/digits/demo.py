"""The whole path: train, quantize, bake, build for a board, and send it every test image over the
UART.

python examples/digits/demo.py [BOARD]
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

import data
from cortorch import Program
from cortorch.commands import size_table
from cortorch.device import Device
from cortorch.images import image
from cortorch.images.board import default_board, load_board

HERE = Path(__file__).resolve().parent
OUT = HERE.parents[1] / "build" / "digits"
MODEL = OUT / "digits.pte"


def trained() -> Program:
    """The exported program; it is trained again only after a change of this folder."""
    newest = max(path.stat().st_mtime for path in HERE.glob("*.py"))
    if not MODEL.exists() or MODEL.stat().st_mtime < newest:
        subprocess.run([sys.executable, str(HERE / "train.py")], check=True)
        MODEL.touch()
    return Program.load(MODEL)


def main() -> int:
    console = Console(highlight=False)
    program = trained()
    test = data.load().test
    board = load_board(sys.argv[1] if len(sys.argv) > 1 else default_board())
    with console.status(f"building the firmware for {board.name}"):
        built = image.build(board, {program.name: MODEL}, "validate", OUT / board.name)
    reference, outputs = [], []
    for picture in track(test.images, description="reference"):
        reference.append(program.run_flat([picture[None]])[0].numpy())
    with board.runner().start(built, count=not board.is_host) as session:
        device = Device(session)
        for picture in track(test.images, description=f"on {board.name}"):
            outputs.append(device.run(program.name, [picture[None].numpy()])[0])
        memory = device.memory()
        counts = session.counter.runs() if session.counter else []
    exact = sum(np.array_equal(a, b) for a, b in zip(reference, outputs, strict=True))
    right = [score(results, test.labels) for results in (reference, outputs)]
    insns = [run.total_insns for run in counts]
    span = f"{min(insns):,} to {max(insns):,}" if insns else "not counted"
    float_accuracy = json.loads((OUT / "float.json").read_text())["accuracy"]
    table = Table(
        title=f"digits on {board.name}: {board.description}",
        title_justify="left",
        show_header=False,
    )
    rows = {
        "test images": f"{len(outputs)}",
        "accuracy, float in PyTorch": f"{float_accuracy:.2%}",
        "accuracy, int8 reference": f"{right[0]:.2%}",
        "accuracy, on the device": f"{right[1]:.2%}",
        "bit-exact outputs": f"{exact} of {len(outputs)} ({exact / len(outputs):.0%})",
        "instructions per inference": span,
        "arena": f"{program.plan.arena_bytes:,} bytes",
        "stack, high-water mark": f"{memory.stack_peak_bytes:,} of {memory.stack_bytes:,} bytes",
        "model": shown(MODEL),
        "baked C": shown(built.build_dir / "baked"),
        "firmware": shown(built.elf),
    }
    for name, value in rows.items():
        table.add_row(name, value)
    console.print(table)
    size_table.show(built)
    return 0 if exact == len(outputs) else 1


def shown(path: Path) -> str:
    """Relative to where we are, if it is below."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def score(results: list[np.ndarray], labels: torch.Tensor) -> float:
    guesses = np.array([r.argmax() for r in results])
    return float((guesses == labels.numpy()).mean())


if __name__ == "__main__":
    sys.exit(main())
