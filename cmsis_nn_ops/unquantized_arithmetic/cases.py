"""Test inputs of arithmetic."""

from __future__ import annotations

from typing import Any

import torch

from cmsis_nn_ops.op_def import Case
from cmsis_nn_ops.testdata import int8

FUNCTIONS = ("add", "sub", "mul", "div", "div_trunc", "div_floor", "fmod", "remainder")
DIVIDING = FUNCTIONS[3:]
UNUSUAL = torch.tensor(
    [0.0, -0.0, 1.5, -7.0, 1e-40, -3e-42, 2.5e38, torch.inf, -torch.inf, torch.nan]
)
"""Every pair of them makes an overflow, an underflow, or something that is no number."""
WHOLE = torch.tensor([-(2**31), -7, -2, 0, 3, 2**31 - 1])
DIVISORS = torch.tensor([-3, -2, 2, 7, 2**30])


def _case(
    function: str,
    self: tuple[int, ...],
    other: tuple[int, ...],
    dtype: torch.dtype = torch.float32,
    /,
    **overrides: Any,
) -> Any:
    """No divisor is 0."""

    def make(g: torch.Generator) -> dict[str, Any]:
        divisor = int8(g, other)
        args = {
            "self": int8(g, self).to(dtype) * 3,
            "other": torch.where(divisor == 0, 5, divisor).to(dtype),
            "function": FUNCTIONS.index(function),
        }
        return {**args, **overrides}

    return make


def _pairs(function: str, first: torch.Tensor, second: torch.Tensor) -> Any:
    return _case(function, (), (), self=first.view(-1, 1), other=second)


CASES = [
    *(Case(f"{f}_float32", _case(f, (3, 7), (7,))) for f in FUNCTIONS),
    *(Case(f"{f}_unusual", _pairs(f, UNUSUAL, UNUSUAL)) for f in FUNCTIONS),
    *(Case(f"{f}_int32", _case(f, (5, 1), (1, 9), torch.int32)) for f in FUNCTIONS if f != "div"),
    *(Case(f"{f}_int64", _pairs(f, WHOLE, WHOLE * 2**33)) for f in FUNCTIONS[:3]),
    *(Case(f"{f}_int64", _pairs(f, WHOLE, DIVISORS)) for f in DIVIDING[1:]),
    Case("add_wraps", _pairs("add", WHOLE.int(), WHOLE.int())),
    Case("mul_wraps", _pairs("mul", WHOLE.int(), WHOLE.int())),
    Case("both_repeat", _case("sub", (4, 1, 3, 1), (1, 5, 1, 6))),
    Case("scalar", _case("add", (), ())),
    Case("C1", _case("add", (4,), (), other=torch.zeros((), dtype=torch.int32)), rejects="C1"),
    Case("C1_int8", _case("add", (4,), (4,), torch.int8), rejects="C1"),
    Case("C2", _case("add", (4,), (3,)), rejects="C2"),
    Case("C3", _case("add", (4,), (4,), function=8), rejects="C3"),
    Case("C4", _case("div", (4,), (4,), torch.int32), rejects="C4"),
]
