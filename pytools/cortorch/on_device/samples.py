"""Inputs that the demo app shows, in a file beside the model: `m.pte` has `m.samples.npz`.

It holds `input0`, `input1` ... with one sample per row, and `labels` if the samples have names.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cortorch.errors import BakeError
from cortorch.forms.bake import Sample


def path_for(model: Path) -> Path:
    return model.with_suffix(".samples.npz")


def save(model: Path, samples: Sequence[Sample]) -> Path:
    """Writes the samples of a model; all have the same inputs, and all or none have a label."""
    columns = zip(*(sample.inputs for sample in samples), strict=True)
    arrays: dict[str, Any] = {f"input{i}": np.stack(column) for i, column in enumerate(columns)}
    labels = [sample.label for sample in samples if sample.label is not None]
    if labels:
        arrays["labels"] = np.array(labels)
    np.savez(path_for(model), **arrays)
    return path_for(model)


def load(model: Path) -> list[Sample]:
    """Samples of a model; none if it has no such file."""
    path = path_for(model)
    if not path.exists():
        return []
    try:
        with np.load(path) as file:
            columns = [file[name] for name in input_names(file)]
            labels = file["labels"].tolist() if "labels" in file else [None] * len(columns[0])
    except (OSError, ValueError, IndexError, zipfile.BadZipFile) as error:
        raise BakeError(f"{path} is not a file of samples ({error}); write it anew") from error
    return [Sample(inputs, label) for *inputs, label in zip(*columns, labels, strict=True)]


def input_names(names: Iterable[str]) -> list[str]:
    """In the order of the model's inputs."""
    return sorted((name for name in names if name.startswith("input")), key=lambda n: int(n[5:]))
