"""scikit-learn's 1,797 handwritten digits, split for training, calibration and test."""

from typing import NamedTuple

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

CALIBRATION_IMAGES = 128


class Split(NamedTuple):
    images: torch.Tensor
    """[N, 1, 8, 8] float32 in 0..1."""
    labels: torch.Tensor


class Data(NamedTuple):
    train: Split
    calibration: Split
    """Part of the training images, never of the test images."""
    test: Split


def load() -> Data:
    images, labels = load_digits(return_X_y=True)
    x = torch.tensor(images / 16.0, dtype=torch.float32).reshape(-1, 1, 8, 8)
    y = torch.tensor(labels)
    rows = range(len(y))
    train, test = train_test_split(rows, test_size=0.2, stratify=y, random_state=0)
    calibration = train[:CALIBRATION_IMAGES]
    return Data(*(Split(x[part], y[part]) for part in (train, calibration, test)))
