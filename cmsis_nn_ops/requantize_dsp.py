"""What ``support/ct_requantize_dsp.h`` can do."""

from __future__ import annotations

from typing import TypeAlias

import torch

from cmsis_nn_ops import fixed_point as fp

IntOrTensor: TypeAlias = "int | torch.Tensor"


def fits(largest: IntOrTensor, multiplier: IntOrTensor, shift: IntOrTensor, offset: int) -> bool:
    """Whether all of these factors are below 1/2, and nothing on the way leaves int32.

    Args:
        largest: magnitude of the numbers to be requantized.
        multiplier: not negative.
    """
    numbers, factors, shifts = (
        torch.as_tensor(x, dtype=torch.int64) for x in (largest, multiplier, shift)
    )
    if int(numbers.max()) >= 2**30 or int(shifts.max()) >= 0 or int(factors.min()) < 0:
        return False
    rounded = fp.doubling_high_mult(numbers, factors) + 1
    added = abs(2 * offset + 1) << (-shifts - 1)
    return int((rounded + added).max()) < 2**31
