"""Trains the digits network, quantizes it and writes build/digits/digits.pte."""

import json
from pathlib import Path

import torch
from model import Digits
from rich.console import Console
from rich.progress import track
from torch import nn

import cortorch
import data
from cortorch.forms.bake import Sample
from cortorch.on_device import samples

OUT = Path(__file__).resolve().parents[2] / "build" / "digits"
EPOCHS = 40
BATCH = 64
SHOWN_IMAGES = 10


def shifted(images: torch.Tensor) -> torch.Tensor:
    """The batch moved by up to one pixel each way, as people write."""
    dy, dx = (int(d) for d in torch.randint(-1, 2, (2,)))
    padded = nn.functional.pad(images, (1, 1, 1, 1))
    return padded[:, :, 1 + dy : 9 + dy, 1 + dx : 9 + dx]


def train(split: data.Split) -> Digits:
    torch.manual_seed(0)
    torch.set_num_threads(1)  # such small tensors are not worth sharing
    model = Digits()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    for _ in track(range(EPOCHS), description="training"):
        for rows in torch.randperm(len(split.labels)).split(BATCH):
            logits = torch.log(model(shifted(split.images[rows])) + 1e-9)
            loss = nn.functional.nll_loss(logits, split.labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
    return model.eval()


def main() -> None:
    digits = data.load()
    model = train(digits.train)
    with torch.no_grad():
        probabilities = model(digits.test.images)
    accuracy = (probabilities.argmax(1) == digits.test.labels).double().mean().item()
    with Console().status("quantizing and exporting"):
        program = cortorch.export(
            model,
            (digits.test.images[:1],),
            calibration=[(image[None],) for image in digits.calibration.images],
            name="digits",
        )
    path = program.save(OUT / "digits.pte")
    shown = zip(digits.test.images[:SHOWN_IMAGES], digits.test.labels, strict=False)
    samples.save(path, [Sample([image[None].numpy()], f"a {label}") for image, label in shown])
    (OUT / "float.json").write_text(json.dumps({"accuracy": accuracy}))
    print(program.report)


if __name__ == "__main__":
    main()
