"""The modules of ``dialect_modules.py`` as programs, exported once for all tests."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

import cortorch
from cortorch.program import Program
from dialect_modules import MODULES


@cache
def exported(name: str) -> Program:
    make, inputs = MODULES[name]
    torch.manual_seed(0)
    module = make()
    samples = [inputs, *(tuple(_similar(x) for x in inputs) for _ in range(3))]
    identifier = "m_" + name.replace("-", "_")
    return cortorch.export(module, inputs, calibration=samples, name=identifier)


def _similar(x: Any) -> Any:
    """Other numbers of the same kind; what are no real numbers stays."""
    if isinstance(x, torch.Tensor) and x.is_floating_point():
        return torch.randn(x.shape) * x.std()
    return x


def tensors(name: str) -> list[torch.Tensor]:
    return [x for x in tree_leaves(MODULES[name][1]) if isinstance(x, torch.Tensor)]


@cache
def expected(name: str) -> list[torch.Tensor]:
    return exported(name).run_flat(tensors(name))


def assert_same(results: list[torch.Tensor], wanted: list[torch.Tensor]) -> None:
    assert len(results) == len(wanted)
    for result, reference in zip(results, wanted, strict=True):
        assert result.dtype == reference.dtype
        assert torch.equal(result, reference)
