"""ATen functions that are others in disguise, written down in PyTorch.

Each function takes the arguments of the ATen operator under the names of its schema, and returns
the same numbers, made by calls that the dialect has. ``NotImplemented`` leaves a call as it is.
Of a call with several outputs it returns all of them, or the first ones; the others must be unused.
One that is costly may be a function without arguments, called if the output is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cortorch.quantization.decompositions import (
    choosing,
    convolution,
    elementwise,
    extrema,
    norms,
    pool_indices,
    pooling,
    products,
    rearranging,
    reductions,
    resampling,
    sorting,
)

TABLE: dict[str, Callable[..., Any]] = {
    **choosing.TABLE,
    **convolution.TABLE,
    **elementwise.TABLE,
    **extrema.TABLE,
    **norms.TABLE,
    **pooling.TABLE,
    **pool_indices.TABLE,
    **products.TABLE,
    **rearranging.TABLE,
    **reductions.TABLE,
    **resampling.TABLE,
    **sorting.TABLE,
}
"""By overload, such as ``aten.conv3d.default``."""

COMPOSITE = ("aten.einsum.default",)
"""Those that PyTorch takes apart itself."""
