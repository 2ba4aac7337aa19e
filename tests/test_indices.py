"""An index that is out of range ends the run with one error, and touches no memory."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from cortorch.errors import DeviceError
from dialect_programs import exported, tensors

BEYOND = torch.iinfo(torch.int64).max
CASES = {
    "index-put": (1, 5),
    "index-put-added-in-place": (1, -6),
    "index-put-columns": (1, BEYOND),
    "index-put-two-axes": (2, 6),
    "index-select": (1, -BEYOND),
    "embedding": (0, 10),
    "embedding-bag-sum": (0, -1),
    "embedding-bag-mean": (1, 9),
}
"""Of a module in ``number_modules.py``: which input gets which number."""


@pytest.mark.parametrize("name", CASES)
def test_out_of_range(name: str) -> None:
    number, value = CASES[name]
    inputs: list[Any] = [x.clone() for x in tensors(name)]
    inputs[number].view(-1)[-1] = value
    with pytest.raises(DeviceError, match="index out of range"):
        exported(name).run_flat(inputs, on="host")
    exported(name).run_flat(tensors(name), on="host")


def test_division_of_integers_by_zero() -> None:
    x, y = tensors("integers-divided")
    with pytest.raises(DeviceError):
        exported("integers-divided").run_flat([x, torch.zeros_like(y)], on="host")
